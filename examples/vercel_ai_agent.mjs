// An agent of the Vercel AI SDK that remembers: `node vercel_ai_agent.mjs "I am vegan."`, then `… "Am I vegan?"`.
import { Memsite } from "@memsite/client";
import { withMemory } from "@memsite/client/ai";
import { generateText, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";

// Your model stands here, such as openai("gpt-5"). This one answers with what its system prompt says is known.
const scripted = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const system = prompt.find((message) => message.role === "system")?.content ?? "";
    const known = system.split("\n").filter((line) => /^[-~] /.test(line));
    const text = known.length ? ["I remember:", ...known].join("\n") : "I know nothing of that yet.";
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    return { content: [{ type: "text", text }], finishReason: { unified: "stop", raw: "stop" }, usage, warnings: [] };
  },
});

const session = `chat-${crypto.randomUUID()}`; // a new conversation each time
const model = wrapLanguageModel({ model: scripted, middleware: withMemory(new Memsite(), { session }) });
console.log((await generateText({ model, prompt: process.argv[2] })).text);
