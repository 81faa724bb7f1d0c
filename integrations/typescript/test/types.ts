// What the compiler takes and refuses. Nothing of it runs.
import { Memsite, type Schemas } from "@memsite/client";

export async function typed(memsite: Memsite): Promise<void> {
  const memory = await memsite.call("get_memory", { path: { uid: "x" }, query: { as_of: "2026-01-01" } });
  const content: string = memory.content;
  for await (const row of memsite.list("list_memories", { query: { category: content } })) row.tags satisfies string[];
  const stored: Schemas["MemoryStored"] | Schemas["MemoryHeld"] = await memsite.createMemory("x", { kind: "fact" });
  if ("rejection_id" in stored) stored.reason satisfies string;
  await memsite.call("list_apps");
  // @ts-expect-error: there is no such operation
  await memsite.call("get_memories");
  // @ts-expect-error: a path has its parts
  await memsite.call("get_memory");
  // @ts-expect-error: a body has its fields
  await memsite.call("search_memories", { body: { query: "x", limits: 3 } });
  // @ts-expect-error: no kind of memory
  await memsite.createMemory("x", { kind: "facts" });
  // @ts-expect-error: no list
  memsite.list("get_memory", { path: { uid: "x" } });
}
