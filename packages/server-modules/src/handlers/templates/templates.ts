import type { Exchange } from "http-engine/exchange";
import type { HttpHandler } from "http-engine/handler";
import { getHeader, type HeaderList, removeHeaders, setContentLength } from "http-engine/header-list";
import { HttpError } from "http-engine/http-error";
import { ResponseFilter, type ResponseSink } from "http-engine/response-sink";
import { messageOf, ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { bufferOfText, textOfBuffer } from "server-core/uri/text-of-bytes";
import { z } from "zod";
import { mediaTypeOf } from "../../files/media-type.ts";
import { pathText } from "../../files/path-text.ts";
import { compileRoot } from "../../files/site-path.ts";
import {
  compileResponseMatcher,
  type ResponseMatcher,
  responseMatcherSchema,
} from "../../matchers/response-matcher.ts";
import { basicFunctions } from "./basic-functions.ts";
import { TemplateRun } from "./evaluate-template.ts";
import { siteFunctions } from "./site-functions.ts";
import { sprigFunctions } from "./sprig-functions.ts";
import { templateContext } from "./template-context.ts";
import { parseTemplate } from "./template-parser.ts";

/** Maximum number of bytes of a template response. A larger response fails with 500. */
const maxTemplateBytes = 16 * 1024 * 1024;

const configSchema = z.strictObject({
  file_root: pathText().nullish().describe("Folder of files that templates take in ({http.vars.root})."),
  mime_types: z
    .array(z.string())
    .nullish()
    .describe("Media types of responses that are templates (text/html, text/plain, text/markdown)."),
  delimiters: z
    .array(z.string().min(1))
    .length(2)
    .nullish()
    .describe("What begins and ends an action ({{ and }})."),
  match: responseMatcherSchema.nullish().describe("Responses that are templates, beside their type (all)."),
});

const defaultTypes = ["text/html", "text/plain", "text/markdown"];

/** The compiled config. */
interface Rules {
  /** Content types of responses that are templates. */
  readonly types: readonly string[];
  /** Delimiters of actions. */
  readonly delimiters: readonly [open: string, close: string];
  /** Returns the folder for included files. */
  readonly rootOf: (exchange: Exchange) => string;
  /** Selects the responses to execute. */
  readonly matches: ResponseMatcher;
}

/** File extensions of programs, whose responses may have any type. */
const program = /\.(?:php\d?|phtml|cgi|pl|py)$/i;

/** True when a response may be a template: its path does not name a file of another type. */
function mayBeTemplate(path: string, types: readonly string[]): boolean {
  const type = mediaTypeOf(path).split(";")[0] ?? "";
  return type === "" || types.includes(type) || program.test(path);
}

/** Header fields that describe the template's bytes, not the page's. */
const changed = new Set(["content-length", "etag", "last-modified", "accept-ranges"]);

/** Fields that describe the page. They are removed when its template fails. Source: Caddy 2.11 */
const describesPage = new Set([...changed, "content-encoding", "content-range", "content-type"]);

/**
 * Holds a template response until it is complete, and sends the rendered page.
 * | Response | Then |
 * |---|---|
 * | type, coding or `match` do not fit | passes unchanged |
 * | 206 of a template | 416: a part cannot be executed |
 * | a template | held to its end, executed, and sent with its new length |
 * | the template fails | 500, because nothing was sent yet |
 */
class TemplateFilter extends ResponseFilter {
  readonly #exchange: Exchange;
  readonly #rules: Rules;
  /** Chunks of the template until now; undefined when the response passes. */
  #chunks: Uint8Array[] | undefined;
  #length = 0;
  #status = 0;
  #headers: HeaderList = [];
  /** Resolves after the rendered page was sent; undefined when the response passed unchanged. */
  pending: Promise<void> | undefined;

  constructor(below: ResponseSink, exchange: Exchange, rules: Rules) {
    super(below);
    this.#exchange = exchange;
    this.#rules = rules;
  }

  override head(status: number, headers: HeaderList): void {
    const type = (getHeader(headers, "content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    const isTemplate =
      this.#rules.types.some((each) => type === each) &&
      (getHeader(headers, "content-encoding") ?? "") === "" &&
      this.#rules.matches(status, headers, this.#exchange);
    if (isTemplate && status === 206) {
      throw new HttpError(416, "a part of a template cannot be evaluated");
    }
    if (isTemplate) {
      this.#chunks = [];
      this.#status = status;
      this.#headers = headers;
    } else {
      super.head(status, headers);
    }
  }

  override write(chunk: Uint8Array): boolean {
    if (this.#chunks === undefined) {
      return super.write(chunk);
    }
    this.#length += chunk.length;
    if (this.#length > maxTemplateBytes) {
      throw new HttpError(500, `template of more than ${maxTemplateBytes} bytes`);
    }
    this.#chunks.push(chunk);
    return true;
  }

  override end(chunk?: Uint8Array): void {
    if (this.#chunks === undefined) {
      super.end(chunk);
      return;
    }
    if (chunk !== undefined) {
      this.write(chunk);
    }
    this.pending = this.#send(textOfBuffer(Buffer.concat(this.#chunks)));
    // The caller may await the promise later, or fail itself, so a rejection must not count as unhandled.
    this.pending.catch(() => {});
  }

  override flush(): void {
    if (this.#chunks === undefined) {
      super.flush();
    }
  }

  /** Executes the template and sends its output. */
  async #send(source: string): Promise<void> {
    const headers = this.#headers;
    removeHeaders(headers, (name) => changed.has(name));
    const printed = bufferOfText(await this.#run(source));
    // A HEAD response has no template to execute.
    if (this.#exchange.method !== "HEAD") {
      setContentLength(headers, printed.length);
    }
    super.head(this.#status, headers);
    super.end(printed);
  }

  /** Executes the template with the functions of sprig, Go and the site. On equal names the later of these wins. */
  async #run(source: string): Promise<string> {
    const exchange = this.#exchange;
    const { delimiters, rootOf } = this.#rules;
    const contextWith = (args: readonly unknown[]) => templateContext(exchange, this.#headers, args);
    const run: TemplateRun = new TemplateRun({
      ...sprigFunctions,
      ...basicFunctions,
      ...siteFunctions({ exchange, root: rootOf(exchange), delimiters, run: () => run, contextWith }),
    });
    try {
      return await run.run(parseTemplate(source, ...delimiters), contextWith([]));
    } catch (error) {
      // The error page has its own fields.
      removeHeaders(this.#headers, (name) => describesPage.has(name));
      throw error instanceof ServerError
        ? error
        : new HttpError(500, `template: ${messageOf(error)}`, { cause: error });
    }
  }
}

/** Sends an empty page, with the usual fields, when no handler answered. */
function answer(exchange: Exchange, filter: TemplateFilter): Promise<void> | undefined {
  if (!exchange.answered && !exchange.ended) {
    // The access log marks such requests.
    exchange.vars.set("unhandled", true);
    // Removes the filters of later handlers, because there is no response that they could change.
    exchange.restartResponse(filter);
    if (exchange.method !== "HEAD") {
      setContentLength(exchange.responseHeaders, 0);
    }
    exchange.respond(exchange.defaultStatus);
  }
  return filter.pending;
}

/**
 * Executes responses as templates in Go's syntax. Use only trusted templates: a template can read every file below its
 * root.
 * Source: Caddy 2.11
 */
export const templates = defineModule({
  id: "http.handlers.templates",
  config: configSchema,
  provision(config): HttpHandler {
    const [open = "{{", close = "}}"] = config.delimiters ?? [];
    const rules: Rules = {
      types: (config.mime_types ?? defaultTypes).map((type) => type.toLowerCase()),
      delimiters: [open, close],
      rootOf: compileRoot(config.file_root),
      matches: compileResponseMatcher(config.match ?? {}),
    };
    return {
      inRehearsal: "changes the answer",
      handle(exchange, next) {
        // A part of a template must not be sent: it could reveal the source. Other files keep their ranges.
        if (exchange.header("range") !== "" && mayBeTemplate(exchange.path, rules.types)) {
          exchange.changeRequestHeaders((headers) =>
            removeHeaders(headers, (name) => name === "range" || name === "if-range"),
          );
        }
        const filter = exchange.interceptResponse((below) => new TemplateFilter(below, exchange, rules));
        const running = next(exchange);
        return running === undefined
          ? answer(exchange, filter)
          : running.then(() => answer(exchange, filter));
      },
    };
  },
});
