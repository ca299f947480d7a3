import type { Readable, Writable } from "node:stream";

/** Fields of JSON-RPC that the relay reads. The relay changes no field. */
interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly protocolVersion?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

export interface RelaySettings {
  /** Address of the endpoint: `http://host:16686/mcp`. */
  readonly url: string;
  /** Additional headers of each request: a tenant, a token. */
  readonly headers: ReadonlyMap<string, string>;
  readonly input: Readable;
  readonly output: Writable;
  /** Called with each warning for the user of the assistant, as one line. */
  readonly warn: (line: string) => void;
}

/** Maximum number of bytes of a line. Arguments of tools are short. A longer line gets an error answer. */
const maxLineBytes = 262_144;
/**
 * Maximum number of bytes of an answer. A longer answer is an error. The largest budget of a tool is far below this
 * limit.
 */
const maxAnswerBytes = 8_388_608;
/** Milliseconds after which an unanswered request fails. A search may take long. */
const timeoutMs = 120_000;
// Key under which clients of 2026-07-28 send the protocol version in each message.
const versionKey = "io.modelcontextprotocol/protocolVersion";
// Codes of JSON-RPC 2.0.
const internalError = -32_603;
const parseError = -32_700;

/** Encodes a text as a header value. Source: MCP specification 2026-07-28, streamable HTTP, standard headers */
function headerValue(text: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

/** Headers that repeat fields of the message, so that proxies need not parse the message. */
function headersOf(
  { method = "", params = {} }: Message,
  version: string | undefined,
): Record<string, string> {
  const own = params._meta?.[versionKey];
  if (typeof own !== "string") {
    return version === undefined ? {} : { "mcp-protocol-version": version };
  }
  const name = params.name ?? params.uri;
  return {
    "mcp-protocol-version": own,
    "mcp-method": headerValue(method),
    ...(typeof name === "string" ? { "mcp-name": headerValue(name) } : {}),
  };
}

/**
 * The messages of an answer: a JSON document, or events of a stream.
 *
 * ```
 * event: message\ndata: {"jsonrpc":"2.0",…}\n\n   →  ['{"jsonrpc":"2.0",…}']
 * ```
 */
function messagesOf(contentType: string, text: string): string[] {
  if (!contentType.startsWith("text/event-stream")) {
    return text.trim() === "" ? [] : [text.trim()];
  }
  return text
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trimStart())
        .join("\n"),
    )
    .filter((data) => data !== "");
}

/** The text of an answer. @throws Error for an answer longer than `maxAnswerBytes` */
async function textWithin(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxAnswerBytes) {
      throw new Error(`the answer is over the limit of ${maxAnswerBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** True when a text is a JSON-RPC message. A proxy's error page is not. */
function isMessage(text: string): boolean {
  try {
    return JSON.parse(text)?.jsonrpc === "2.0";
  } catch {
    return false;
  }
}

/** Sends the messages of one assistant to a process over HTTP. */
class StdioRelay {
  readonly #settings: RelaySettings;
  /** Negotiated protocol version; clients of version 2026-07-28 send it in each message. */
  #version: string | undefined;

  constructor(settings: RelaySettings) {
    this.#settings = settings;
  }

  /**
   * Forwards one message, and writes the answer. If forwarding fails and the message needs an answer, writes an error
   * answer.
   */
  async relay(line: string): Promise<void> {
    let message: Message;
    try {
      message = JSON.parse(line);
    } catch {
      this.fail(null, parseError, "a line of the assistant is no JSON");
      return;
    }
    const { url } = this.#settings;
    try {
      const response = await this.#post(line, message);
      const text = await textWithin(response);
      const messages = messagesOf(response.headers.get("content-type") ?? "", text);
      // A failure before the protocol, such as a proxy error or an unknown tenant, is not a protocol message.
      const isOfProtocol = messages.every(isMessage) && (response.ok || messages.length > 0);
      if (!isOfProtocol) {
        this.fail(message.id, internalError, `${url} answers ${response.status}: ${text.slice(0, 300)}`);
        return;
      }
      for (const one of messages) {
        if (message.method === "initialize") {
          this.#version = JSON.parse(one).result?.protocolVersion ?? this.#version;
        }
        this.#write(one);
      }
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
      this.fail(message.id, internalError, `${url} does not answer: ${reason}`);
    }
  }

  #post(line: string, message: Message): Promise<Response> {
    const { url, headers } = this.#settings;
    return fetch(url, {
      method: "POST",
      headers: {
        ...Object.fromEntries(headers),
        ...headersOf(message, this.#version),
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: line,
      signal: AbortSignal.timeout(timeoutMs),
    });
  }

  /** @param id id of the failed message; null: unreadable; undefined: a notification without answer */
  fail(id: Message["id"], code: number, message: string): void {
    this.#settings.warn(message);
    if (id !== undefined) {
      this.#write(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
    }
  }

  /** Writes one message on one line, because a line break ends a message. */
  #write(line: string): void {
    this.#settings.output.write(`${line.replace(/\r?\n/g, " ")}\n`);
  }
}

/**
 * Serves an assistant over standard input and output, by forwarding messages to a process over HTTP. The relay
 * does not change messages, so it knows no tools and can have another version than the process. Requests run
 * concurrently. Resolves when the input ends and all answers are written.
 */
export async function relayStdio(settings: RelaySettings): Promise<void> {
  const relay = new StdioRelay(settings);
  const running = new Set<Promise<void>>();
  for await (const line of linesOf(settings.input)) {
    if (line === undefined) {
      relay.fail(null, parseError, `a line of the assistant is over the limit of ${maxLineBytes} bytes`);
      continue;
    }
    if (line.trim() === "") {
      continue;
    }
    const one = relay.relay(line).finally(() => running.delete(one));
    running.add(one);
    // The version of the protocol must be known before the next message.
    if (line.includes('"initialize"')) {
      await one;
    }
  }
  await Promise.all(running);
}

/** Lines of a stream; undefined for a line over the limit, whose text is dropped. */
async function* linesOf(input: Readable): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const data of input as AsyncIterable<Buffer>) {
    let rest = data;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      length += end;
      yield length > maxLineBytes ? undefined : Buffer.concat([...parts, rest.subarray(0, end)]).toString();
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
    }
    length += rest.length;
    parts = length > maxLineBytes ? [] : [...parts, rest];
  }
  if (length > 0) {
    yield length > maxLineBytes ? undefined : Buffer.concat(parts).toString();
  }
}
