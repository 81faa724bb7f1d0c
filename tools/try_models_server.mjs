// A chat-completions endpoint of one GGUF model, for tools/try_models.py: `node try_models_server.mjs STAND MODEL THREADS CONTEXT`.
// Listens on loopback, prints its port, and ends with its standard input.

import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const [stand, modelPath, threads, contextSize] = process.argv.slice(2);
const library = pathToFileURL(`${stand}/node_modules/node-llama-cpp/dist/index.js`);
const { getLlama, LlamaChat } = await import(library);

const llama = await getLlama({
  gpu: false, build: "never", skipDownload: true, maxThreads: Number(threads), logLevel: "error",
});
const model = await llama.loadModel({ modelPath });
const context = await model.createContext({ contextSize: Number(contextSize), threads: Number(threads) });
const chat = new LlamaChat({ contextSequence: context.getSequence() });

class Refused extends Error {}

const TYPES = { system: "system", user: "user" };

async function grammarOf(format) {
  if (!format || format.type === "text") return undefined;
  const schema = format.type === "json_schema" ? format.json_schema?.schema : format.schema;
  try {
    return schema ? await llama.createGrammarForJsonSchema(schema) : await llama.getGrammarFor("json");
  } catch (error) {
    throw new Refused(`response_format: ${error.message}`);
  }
}

async function answer(asked, signal) {
  const history = asked.messages.map(({ role, content }) => ({ type: TYPES[role], text: content }));
  history.push({ type: "model", response: [] });
  const { contextText } = chat.chatWrapper.generateContextState({ chatHistory: history });
  const tokens = contextText.tokenize(model.tokenizer).length;
  // Of a full context llama.cpp would drop the beginning, and say nothing.
  const room = context.contextSize - tokens - 16;
  if (room < 1) throw new Refused(`${tokens} tokens exceed the context length of ${context.contextSize}`);
  let written = 0;
  const { response, metadata } = await chat.generateResponse(history, {
    grammar: await grammarOf(asked.response_format),
    maxTokens: Math.min(asked.max_tokens ?? room, room),
    temperature: asked.temperature ?? 0,
    onToken: (some) => (written += some.length),
    signal,
  });
  const reason = metadata.stopReason === "maxTokens" ? "length" : "stop";
  return {
    object: "chat.completion",
    model: asked.model,
    choices: [{ index: 0, message: { role: "assistant", content: response }, finish_reason: reason }],
    usage: { prompt_tokens: tokens, completion_tokens: written, total_tokens: tokens + written },
  };
}

function reply(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

let turn = Promise.resolve();

const server = createServer(async (request, response) => {
  if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
    return reply(response, 404, { error: { message: "there is only POST /v1/chat/completions" } });
  }
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += piece;
  // There is one sequence: one question at a time.
  turn = turn.then(async () => {
    if (gone.signal.aborted) return;
    try {
      reply(response, 200, await answer(JSON.parse(text), gone.signal));
    } catch (error) {
      if (!gone.signal.aborted) reply(response, error instanceof Refused ? 400 : 500, { error: { message: String(error.message) } });
    }
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume().on("end", () => process.exit());
