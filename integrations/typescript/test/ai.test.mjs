// The AI SDK with a scripted model, and memory around it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { Memsite } from "@memsite/client";
import { withMemory } from "@memsite/client/ai";
import { generateText, simulateReadableStream, streamText, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { all, newApp, newKey } from "./server.mjs";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finishReason = { unified: "stop", raw: "stop" };

/** A model that answers "Noted.", whole or in pieces. */
function scripted() {
  return new MockLanguageModelV3({
    doGenerate: async () => ({ content: [{ type: "text", text: "Noted." }], finishReason, usage, warnings: [] }),
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: "text-start", id: "1" },
          { type: "text-delta", id: "1", delta: "Not" },
          { type: "text-delta", id: "1", delta: "ed." },
          { type: "text-end", id: "1" },
          { type: "finish", finishReason, usage },
        ],
      }),
    }),
  });
}

const said = async (memsite) => (await all(memsite.list("list_resources"))).map((row) => row.raw_content).sort();
const systemOf = (call) => call.prompt.filter((message) => message.role === "system").map((message) => message.content);

test("what is known stands in the system prompt", async () => {
  const memsite = await newApp();
  await memsite.createMemory("Ann is vegan", { user_id: "ann" });
  const model = scripted();
  const asked = wrapLanguageModel({ model, middleware: withMemory(memsite, { userId: "ann" }) });
  await generateText({ model: asked, system: "Be brief.", prompt: "Is Ann vegan?" });
  const [system] = systemOf(model.doGenerateCalls[0]);
  assert.match(system, /^Be brief\.\n\n<memory-context[^]*Ann is vegan/);
  const others = wrapLanguageModel({ model, middleware: withMemory(memsite, { userId: "ben" }) });
  await generateText({ model: others, prompt: "Is Ann vegan?" });
  assert.deepEqual(systemOf(model.doGenerateCalls[1]), []);
});

test("question and answer are stored, also of what is streamed", async () => {
  const memsite = await newApp();
  const model = wrapLanguageModel({ model: scripted(), middleware: withMemory(memsite, { session: "chat-1" }) });
  await generateText({ model, prompt: "I am vegan." });
  assert.deepEqual(await said(memsite), ["I am vegan.", "Noted."]);
  const result = streamText({ model, prompt: "I live in Porto." });
  assert.equal(await result.text, "Noted.");
  assert.deepEqual(await said(memsite), ["I am vegan.", "I live in Porto.", "Noted.", "Noted."]);
});

test("an answer comes although memory fails", async () => {
  const errors = [];
  const memsite = { getContext: async () => assert.fail("away"), startSession: async () => assert.fail("away") };
  const middleware = withMemory(memsite, { session: "chat-1", onError: (error) => errors.push(error.message) });
  const { text } = await generateText({ model: wrapLanguageModel({ model: scripted(), middleware }), prompt: "Hi" });
  assert.equal(text, "Noted.");
  assert.deepEqual(errors, ["away", "away"]);
});

test("the example remembers in its second run what it was told in its first", async () => {
  const apiKey = await newKey();
  const memsite = new Memsite({ apiKey });
  const run = async (said) => {
    const environment = { ...process.env, MEMSITE_API_KEY: apiKey };
    return (await promisify(execFile)(process.execPath, ["vercel_ai_agent.mjs", said], { env: environment })).stdout;
  };
  assert.doesNotMatch(await run("I am vegan."), /vegan/);
  const isLearnt = async () => (await all(memsite.list("list_memories"))).some((row) => row.content.includes("vegan"));
  while (!(await isLearnt())) await wait(200);
  assert.match(await run("Am I vegan?"), /vegan/);
});
