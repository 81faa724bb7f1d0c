/** Memory for models of the Vercel AI SDK: `wrapLanguageModel({model, middleware: withMemory(memsite)})`. */
import type {
  LanguageModelV3Middleware,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import type { Memsite } from "./index.js";

export interface Remembering {
  /** The conversation, by a name of yours: without it nothing is learnt, only told. */
  session?: string;
  /** The end user who asks: what is known of others is not told. */
  userId?: string;
  maxTokens?: number;
  /** An answer does not fail because memory does; by default it is written to the console. */
  onError?: (error: unknown) => void;
}

/** Put what is known of the last question into the system prompt; have question and answer learnt from. */
export function withMemory(memsite: Memsite, options: Remembering = {}): LanguageModelV3Middleware {
  const { session, userId, maxTokens, onError = console.warn } = options;
  const about = userId === undefined ? {} : { user_id: userId };
  let opened: Promise<string> | undefined;

  async function known(question: string): Promise<string> {
    const limit = maxTokens === undefined ? {} : { max_tokens: maxTokens };
    return (await memsite.getContext({ query: question, ...about, ...limit })).text;
  }

  async function learn(prompt: LanguageModelV3Prompt, answer: string): Promise<void> {
    const question = lastQuestion(prompt);
    if (session === undefined || !answer.trim()) return;
    opened ??= memsite.startSession({ external_id: session, ...about }).then((started) => started.id);
    const said = { role: "assistant", content: answer } as const;
    await memsite.addMessages(await opened, question ? [{ role: "user", content: question }, said] : [said]);
  }

  async function attempt<T>(work: Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work;
    } catch (error) {
      opened = undefined;
      onError(error);
      return otherwise;
    }
  }

  return {
    specificationVersion: "v3",
    async transformParams({ params }) {
      const question = lastQuestion(params.prompt);
      const block = question ? await attempt(known(question), "") : "";
      return block ? { ...params, prompt: withBlock(params.prompt, block) } : params;
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      const texts = result.content.map((part) => (part.type === "text" ? part.text : ""));
      // Of an answer that calls tools the last step is kept.
      const isDone = !result.content.some((part) => part.type === "tool-call");
      if (isDone) await attempt(learn(params.prompt, texts.join("")), undefined);
      return result;
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream();
      let answer = "";
      let isDone = true;
      const kept = new TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart>({
        transform(part, controller) {
          if (part.type === "text-delta") answer += part.delta;
          if (part.type === "tool-call") isDone = false;
          controller.enqueue(part);
        },
        async flush() {
          if (isDone) await attempt(learn(params.prompt, answer), undefined);
        },
      });
      return { stream: stream.pipeThrough(kept), ...rest };
    },
  };
}

function lastQuestion(prompt: LanguageModelV3Prompt): string {
  const message = prompt.findLast((one) => one.role === "user");
  if (message?.role !== "user") return "";
  return message.content
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n")
    .trim();
}

function withBlock(prompt: LanguageModelV3Prompt, block: string): LanguageModelV3Prompt {
  const [first, ...rest] = prompt;
  if (first?.role !== "system") return [{ role: "system", content: block }, ...prompt];
  return [{ ...first, content: `${first.content}\n\n${block}` }, ...rest];
}
