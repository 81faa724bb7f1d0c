/** Client of a Memsite server: `Memsite`, whose `call` takes every operation of the API. */
import { OPERATIONS } from "./operations.js";
import type { components, operations } from "./schema.js";

export type { components, operations };
export type Schemas = components["schemas"];
export type Name = keyof operations;

type Parameters<N extends Name, Where extends "path" | "query"> = operations[N]["parameters"][Where];
type Body<N extends Name> = operations[N] extends { requestBody?: infer Content }
  ? Content extends { content: infer Types }
    ? Types extends { "application/json": infer JSON }
      ? { body: JSON }
      : { body: BodyInit }
    : {}
  : {};
type Path<N extends Name> = Parameters<N, "path"> extends undefined ? {} : { path: Parameters<N, "path"> };
type Query<N extends Name> = Parameters<N, "query"> extends undefined ? {} : { query?: Parameters<N, "query"> };
type Given<N extends Name> = Path<N> & Query<N> & Body<N> & Sending;
type Arguments<N extends Name> = {} extends Given<N> ? [given?: Given<N>] : [given: Given<N>];

export interface Sending {
  /** Of your own, to be safe across restarts; else each call has one. */
  idempotencyKey?: string;
  /** Change or delete only what is at this version. */
  version?: number;
  signal?: AbortSignal;
}

type Contents<Response> = Response extends { content: infer Types }
  ? Types extends { "application/json": infer JSON }
    ? JSON
    : string
  : undefined;
export type Answer<N extends Name> = operations[N] extends { responses: infer Responses }
  ? { [Status in keyof Responses]: Contents<Responses[Status]> }[keyof Responses]
  : never;
type Row<N extends Name> = Answer<N> extends { results: (infer Item)[]; next?: unknown } ? Item : never;
/** Operations that answer page by page. */
export type Listing = { [N in Name]: N extends `list_${string}` ? (Row<N> extends never ? never : N) : never }[Name];

export interface Settings {
  /** `MEMSITE_URL` without it. */
  url?: string;
  /** An agent's key; `MEMSITE_API_KEY` without it. Keep it out of pages: whoever has it reads everything. */
  apiKey?: string;
  fetch?: typeof fetch;
  /** How often a request is sent again that did not arrive or may be repeated. */
  retries?: number;
  /** For each answer. */
  timeoutMilliseconds?: number;
}

/** The server's error document (RFC 9457). */
export interface Problem {
  status: number;
  title?: string;
  detail?: string;
  code?: string;
  request_id?: string;
  errors?: { field: string; detail: string }[];
}

/** What the server answers with an error. `status` says which: 404 not there, 409 something else is stored, … */
export class MemsiteError extends Error {
  override name = "MemsiteError";
  readonly status: number;
  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title || `HTTP ${problem.status}`);
    this.status = problem.status;
  }
}

const PAGE_SIZE = 100;
const LONGEST_WAIT_MILLISECONDS = 30_000;
const FIRST_WAIT_MILLISECONDS = 250;
const COME_AGAIN = [429, 502, 503, 504, 507];

export class Memsite {
  readonly #url: string;
  readonly #key: string;
  readonly #settings: Required<Pick<Settings, "fetch" | "retries" | "timeoutMilliseconds">>;

  constructor(settings: Settings = {}) {
    const url = settings.url ?? setting("MEMSITE_URL") ?? "http://127.0.0.1:8000";
    const key = settings.apiKey ?? setting("MEMSITE_API_KEY");
    if (!key) throw new TypeError("There is no key: pass apiKey, or set MEMSITE_API_KEY.");
    this.#url = url.replace(/\/+$/, "");
    this.#key = key;
    this.#settings = {
      fetch: settings.fetch ?? ((...given) => fetch(...given)),
      retries: settings.retries ?? 2,
      timeoutMilliseconds: settings.timeoutMilliseconds ?? 30_000,
    };
  }

  /** Call an operation by its name in `/api/docs`: `call("get_memory", {path: {uid}})`. Throw a MemsiteError. */
  async call<N extends Name>(name: N, ...[given]: Arguments<N>): Promise<Answer<N>> {
    const [method, template, type, isOnce] = OPERATIONS[name];
    const options = (given ?? {}) as Sending & { path?: object; query?: object; body?: unknown };
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#key}` };
    if (isOnce) headers["Idempotency-Key"] = options.idempotencyKey ?? crypto.randomUUID();
    if (options.version !== undefined) headers["If-Match"] = `"${options.version}"`;
    const isJSON = type === "application/json";
    if (options.body !== undefined && type) headers["Content-Type"] = type;
    const body = options.body === undefined ? null : isJSON ? JSON.stringify(options.body) : (options.body as BodyInit);
    const isStream = typeof ReadableStream !== "undefined" && body instanceof ReadableStream;
    const request = { method, headers, body, ...(isStream ? { duplex: "half" } : {}) } as RequestInit;
    const mayRepeat = !isStream && (method === "GET" || method === "PUT" || isOnce || isQuestion(template));
    const response = await this.#send(this.#address(template, options), request, mayRepeat, options.signal);
    if (response.status === 204) return undefined as Answer<N>;
    const isAnswerJSON = (response.headers.get("Content-Type") ?? "").includes("json");
    return (isAnswerJSON ? await response.json() : await response.text()) as Answer<N>;
  }

  /** Go through a list to its end, fetching pages as needed: `for await (const memory of memsite.list("list_memories"))`. */
  async *list<N extends Listing>(name: N, ...[given]: Arguments<N>): AsyncGenerator<Row<N>, void, undefined> {
    const options = (given ?? {}) as { query?: object };
    let cursor: string | null = null;
    do {
      const query: object = { limit: PAGE_SIZE, ...options.query, ...(cursor ? { cursor } : {}) };
      const page = (await (this.call as (...given: unknown[]) => Promise<unknown>).call(this, name, {
        ...options,
        query,
      })) as { results: Row<N>[]; next: string | null };
      yield* page.results;
      cursor = page.next ? new URL(page.next, this.#url).searchParams.get("cursor") : null;
    } while (cursor);
  }

  createMemory(content: string, fields: Omit<Schemas["NewMemoryOnceRequest"], "content"> = {}) {
    return this.call("create_memory", { body: { content, ...fields } });
  }

  /** What fits the query, best first. */
  async searchMemories(query: string, options: Omit<Schemas["SearchQuestionRequest"], "query"> = {}) {
    return (await this.call("search_memories", { body: { query, ...options } })).results;
  }

  /** A block for the prompt: what answers the question, or what is known without one. */
  getContext(question: Schemas["ContextQuestionRequest"] = {}) {
    return this.call("get_context", { body: question });
  }

  /** The session with this `external_id`, opened if it is new. `context.text` is the greeting. */
  startSession(fields: Schemas["NewSessionRequest"] = {}) {
    return this.call("start_session", { body: fields });
  }

  /** What is said is learnt from, within seconds. */
  addMessages(sessionId: string, messages: Schemas["MessagesRequest"]["messages"]) {
    return this.call("add_messages", { path: { uid: sessionId }, body: { messages } });
  }

  #address(template: string, { path = {}, query = {} }: { path?: object; query?: object }): string {
    const values = path as Record<string, unknown>;
    const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(values[name] ?? "");
      if (!value) throw new TypeError(`${name} is empty.`);
      return encodeURIComponent(value);
    });
    const asked = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const search = new URLSearchParams(asked.map(([name, value]) => [name, String(value)]));
    return `${this.#url}${filled}${search.size ? `?${search}` : ""}`;
  }

  async #send(address: string, request: RequestInit, mayRepeat: boolean, signal?: AbortSignal): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      const isLast = !mayRepeat || attempt >= this.#settings.retries;
      const timeout = AbortSignal.timeout(this.#settings.timeoutMilliseconds);
      let wait = FIRST_WAIT_MILLISECONDS * 2 ** attempt;
      try {
        const response = await this.#settings.fetch(address, {
          ...request,
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        });
        if (response.ok) return response;
        const asked = 1000 * Number(response.headers.get("Retry-After") ?? 0);
        const comesAgain = COME_AGAIN.includes(response.status) && asked <= LONGEST_WAIT_MILLISECONDS;
        if (isLast || !comesAgain) throw new MemsiteError(await problemOf(response));
        await response.body?.cancel();
        wait = Math.max(wait, asked);
      } catch (error) {
        if (error instanceof MemsiteError || isLast || signal?.aborted) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/** Questions change nothing: they are asked again. */
function isQuestion(template: string): boolean {
  return /\/(search|context|preview)$/.test(template);
}

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    return { ...(JSON.parse(text) as Problem), status: response.status };
  } catch {
    return { status: response.status, detail: text.slice(0, 200) };
  }
}

/** A variable of the environment, where there is one: browsers have none. */
function setting(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}
