// Write the types and the table of operations from a server's schema: `node generate.mjs http://…/api/schema?format=json`.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const [, , source = `${process.env.MEMSITE_URL}/api/schema?format=json`, folder = "src"] = process.argv;
const text = source.startsWith("http") ? await (await fetch(source)).text() : await readFile(source, "utf8");
const schema = JSON.parse(text);
const note = "// Written by generate.mjs from the server's OpenAPI schema: change nothing here.\n";
const table = {};

for (const [path, methods] of Object.entries(schema.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    const parameters = operation.parameters ?? [];
    const isOnce = parameters.some((one) => one.name === "Idempotency-Key");
    const type = Object.keys(operation.requestBody?.content ?? {})[0] ?? "";
    table[operation.operationId] = [method.toUpperCase(), path, type, isOnce];
    // The client raises errors and sends these headers by itself.
    delete operation.responses.default;
    operation.parameters = parameters.filter((one) => one.in !== "header" || one.name === "If-Match");
  }
}

const nodes = await openapiTS(schema, { defaultNonNullable: false });
const kept = nodes.filter((node) => !["paths", "webhooks", "$defs"].includes(node.name?.text));
await writeFile(`${folder}/schema.ts`, note + astToString(kept));
const rows = Object.entries(table)
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(([name, row]) => `  ${name}: ${JSON.stringify(row)},`);
await writeFile(
  `${folder}/operations.ts`,
  `${note}import type { operations } from "./schema.js";

/** Method, path, type of the body, and whether an Idempotency-Key makes it take effect once. */
export const OPERATIONS = {
${rows.join("\n")}
} as const satisfies Record<keyof operations, readonly [string, string, string, boolean]>;
`,
);
