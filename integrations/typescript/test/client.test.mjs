// The client at a real server.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Memsite, MemsiteError } from "@memsite/client";
import { all, newApp } from "./server.mjs";

test("a memory is stored, found, changed and deleted", async () => {
  const memsite = await newApp();
  const stored = await memsite.createMemory("Ann is vegan", { category: "food", metadata: { n: 1 } });
  assert.equal(stored.outcome, "created");
  const [hit] = await memsite.searchMemories("who is vegan?");
  assert.deepEqual([hit.id, hit.metadata], [stored.id, { n: 1 }]);
  const path = { uid: stored.id };
  await memsite.call("change_memory", { path, version: stored.version, body: { content: "Ann eats fish" } });
  const refused = memsite.call("change_memory", { path, version: stored.version, body: { content: "x" } });
  await assert.rejects(refused, { status: 412 });
  await memsite.call("delete_memory", { path });
  await assert.rejects(memsite.call("get_memory", { path }), (error) => error instanceof MemsiteError && error.status === 404);
});

test("a list is gone through page by page", async () => {
  const memsite = await newApp();
  const memories = Array.from({ length: 7 }, (_, number) => ({ content: `Fact ${number}`, category: "n" }));
  await memsite.call("create_memories", { body: { memories } });
  const found = await all(memsite.list("list_memories", { query: { limit: 3, category: "n" } }));
  assert.equal(new Set(found.map((memory) => memory.id)).size, 7);
});

test("a session, its messages, its context and its end", async () => {
  const memsite = await newApp();
  const session = await memsite.startSession({ external_id: "chat/1" });
  await memsite.addMessages(session.id, [{ role: "user", content: "I am vegan." }]);
  const lines = '{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"[MEMORY:timing:nas] Takes 60s"}]}}\n';
  const report = await memsite.call("stream_session", { path: { uid: session.id }, body: lines });
  assert.equal(report.created, 1);
  assert.match((await memsite.getContext({ query: "how long does the nas take?" })).text, /Takes 60s/);
  assert.equal((await memsite.call("end_session", { path: { uid: session.id }, body: { reason: "done" } })).status, "ended");
  assert.match(await memsite.call("get_prompt", { path: { tier: 1 } }), /\[MEMORY:/);
});

test("an error tells what is wrong", async () => {
  const memsite = await newApp();
  await assert.rejects(memsite.createMemory("Whales sing", { importance: 9 }), (error) => {
    assert.equal(error.status, 400);
    assert.equal(error.problem.errors[0].field, "importance");
    return true;
  });
  await assert.rejects(new Memsite({ apiKey: "mst_wrong" }).getContext(), { status: 401 });
  await assert.rejects(memsite.call("get_memory", { path: { uid: "" } }), TypeError);
});

test("what did not arrive is sent again, under the same key", async () => {
  const keys = [];
  const server = createServer((request, response) => {
    keys.push(request.headers["idempotency-key"]);
    if (keys.length === 1) return request.socket.destroy();
    if (keys.length === 2) return response.writeHead(503, { "Retry-After": "0" }).end("busy");
    return response.writeHead(201, { "Content-Type": "application/json" }).end('{"id":"1"}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const memsite = new Memsite({ url: `http://127.0.0.1:${server.address().port}/`, apiKey: "x" });
  assert.deepEqual(await memsite.createMemory("Whales sing"), { id: "1" });
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
  server.closeAllConnections();
  server.close();
});

test("a call without a key says how to give one", () => {
  const key = process.env.MEMSITE_API_KEY;
  delete process.env.MEMSITE_API_KEY;
  assert.throws(() => new Memsite(), /MEMSITE_API_KEY/);
  process.env.MEMSITE_API_KEY = key;
});
