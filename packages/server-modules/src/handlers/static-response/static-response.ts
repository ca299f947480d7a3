import type { Exchange } from "http-engine/exchange";
import type { HttpHandler, Next } from "http-engine/handler";
import { getHeader, removeHeaders, setContentLength, setHeader } from "http-engine/header-list";
import { HttpError } from "http-engine/http-error";
import { markImmutable } from "http-engine/immutable-body-cache";
import {
  compileBodyTemplate,
  compileHeaderTemplate,
  compileTemplate,
  isFixed,
} from "http-engine/placeholders";
import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { bufferOfText } from "server-core/uri/text-of-bytes";
import { z } from "zod";

const configSchema = z.strictObject({
  status_code: z
    .union([z.int(), z.string()])
    .nullish()
    .describe("Status, as number or text; placeholders allowed (200). 103 sends early hints and goes on."),
  headers: z
    .record(z.string(), z.array(z.string()).nullable())
    .nullish()
    .describe("Response headers; placeholders allowed."),
  body: z.string().nullish().describe("Response body; placeholders allowed."),
  close: z.boolean().nullish().describe("Whether the connection is closed afterwards."),
  abort: z.boolean().nullish().describe("Cuts the connection without an answer."),
});

/** Sent immediately; the next handlers then send the final response. Source: RFC 8297 */
const earlyHints = 103;

/** Guesses the content type. An empty object or array counts as text. Source: Caddy 2.11 */
function contentTypeOf(body: string): string {
  const text = body.trim();
  const ends = `${text.at(0)}${text.at(-1)}`;
  if (text.length > 2 && (ends === "{}" || ends === "[]")) {
    try {
      JSON.parse(text);
      return "application/json";
    } catch {
      // The text looks like JSON, but is not valid JSON.
    }
  }
  return "text/plain; charset=utf-8";
}

/** Parses a status. @throws HttpError 500 for invalid text */
function statusOf(text: string): number {
  const status = Number(text);
  if (!/^\d{3}$/.test(text) || (status < 200 && status !== earlyHints)) {
    throw new HttpError(500, `status_code ${JSON.stringify(text)} is not a final status, 200 to 999`);
  }
  return status;
}

/** A body, ready to send. */
interface Body {
  /** Bytes of the body, with placeholders replaced. */
  readonly bytes: Buffer;
  /** Content type when the config sets none. */
  readonly type: string;
}

/** Encodes a text, and guesses its content type. */
function bodyOf(text: string): Body {
  const bytes = bufferOfText(text);
  return { bytes, type: bytes.length === 0 ? "" : contentTypeOf(text) };
}

/** A body without placeholders is created once. */
function compileBody(text: string): (exchange: Exchange) => Body {
  const template = compileBodyTemplate(text);
  if (!isFixed(template)) {
    return (exchange) => bodyOf(template(exchange));
  }
  const body = bodyOf((template as () => string)());
  markImmutable(body.bytes);
  return () => body;
}

/** The status of a response: from the config, or from the error being answered. */
function compileStatus(status: string): (exchange: Exchange) => number {
  if (status === "") {
    return (exchange) => exchange.defaultStatus;
  }
  const template = compileTemplate(status);
  if (!isFixed(template)) {
    return (exchange) => statusOf(template(exchange));
  }
  const fixed = statusOf(status);
  return () => fixed;
}

/** Header fields that are always replaced. */
const onlyLength: ReadonlySet<string> = new Set(["content-length"]);

/** Compiles the configured fields. A configured field replaces the same field of earlier handlers. */
function compileHeaders(config: z.infer<typeof configSchema>["headers"]) {
  // The server computes the length itself.
  const fields = Object.entries(config ?? {}).filter(
    ([name]) => !/^(content-length|transfer-encoding)$/i.test(name),
  );
  const names =
    fields.length === 0
      ? onlyLength
      : new Set([...fields.map(([name]) => name.toLowerCase()), "content-length"]);
  const values = fields.flatMap(([name, each]) =>
    (each ?? []).map((value) => ({ name, value: compileHeaderTemplate(value) })),
  );
  return (exchange: Exchange): void => {
    const { responseHeaders } = exchange;
    if (names !== onlyLength || getHeader(responseHeaders, "content-length") !== undefined) {
      removeHeaders(responseHeaders, (name) => names.has(name));
    }
    for (const { name, value } of values) {
      responseHeaders.push(name, value(exchange));
    }
  };
}

type Config = z.infer<typeof configSchema>;

/**
 * The compiled response of a config. It is compiled at the first request, because most routes of a large config never
 * get a request.
 */
class Answer {
  readonly statusFor: (exchange: Exchange) => number;
  readonly setHeaders: (exchange: Exchange) => void;
  /** Computes the body, with placeholders replaced. */
  readonly bodyFor: (exchange: Exchange) => Body;

  constructor(config: Config) {
    this.statusFor = compileStatus(String(config.status_code ?? ""));
    this.setHeaders = compileHeaders(config.headers);
    this.bodyFor = compileBody(config.body ?? "");
  }
}

/** `close` ends the connection after the response; `abort` never answers. */
class StaticResponse implements HttpHandler {
  readonly startsNothing = true;

  get inRehearsal(): "runs" {
    return "runs";
  }
  readonly #config: Config;
  /** The compiled response; undefined before the first request. */
  #answer: Answer | undefined;

  /** @throws HttpError for a status that can never be sent */
  constructor(config: Config) {
    this.#config = config;
    const { status_code: status } = config;
    if (status !== undefined && status !== null) {
      compileStatus(String(status));
    }
  }

  handle(exchange: Exchange, next: Next): void | Promise<void> {
    this.#answer ??= new Answer(this.#config);
    const { statusFor, setHeaders, bodyFor } = this.#answer;
    const { responseHeaders } = exchange;
    const { bytes, type } = bodyFor(exchange);
    setHeaders(exchange);
    const status = statusFor(exchange);
    if (status === earlyHints) {
      exchange.stream.writeInterim(status, responseHeaders);
      return next(exchange);
    }
    if (status === 304) {
      removeHeaders(responseHeaders, (name) => name === "content-type"); // a response without a body has no type
    } else if (type !== "" && !getHeader(responseHeaders, "content-type")) {
      setHeader(responseHeaders, "Content-Type", type);
    }
    if (status !== 204 && status !== 304) {
      setContentLength(responseHeaders, bytes.length);
    }
    if (this.#config.close === true) {
      exchange.stream.closeAfterwards();
    }
    exchange.respond(status, bytes);
    return undefined;
  }
}

/** Aborts: enclosing handlers see a disconnected client and do not answer. */
function abort(exchange: Exchange): never {
  exchange.abort();
  throw new ServerError("CLIENT_GONE", "the site cuts the connection");
}

/** Answers every request with the same response. Source: Caddy 2.11 */
export const staticResponse = defineModule({
  id: "http.handlers.static_response",
  config: configSchema,
  provision(config): HttpHandler {
    return config.abort === true
      ? { startsNothing: true, inRehearsal: "runs", handle: abort }
      : new StaticResponse(config);
  },
});
