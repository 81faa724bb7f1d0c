// An app of its own for each test, on the server whose address and keys the environment has.
import { Memsite } from "@memsite/client";

const operator = new Memsite({ apiKey: process.env.MEMSITE_OPERATOR_KEY });
let apps = 0;

export async function newKey() {
  const name = `node-${process.pid}-${Date.now()}-${apps++}`;
  await operator.call("create_app", { body: { app_id: name, name } });
  return (await operator.call("create_agent", { path: { app_id: name }, body: { name: "agent" } })).api_key;
}

export const newApp = async () => new Memsite({ apiKey: await newKey() });

export async function all(list) {
  const rows = [];
  for await (const row of list) rows.push(row);
  return rows;
}
