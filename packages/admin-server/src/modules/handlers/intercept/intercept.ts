import { z } from "zod";
import { defineModule } from "../../../core/modules/module.ts";
import type { Exchange } from "../../../http/exchange.ts";
import type { HttpHandler } from "../../../http/handler.ts";
import { getHeaders, type HeaderList, removeHeaders } from "../../../http/header-list.ts";
import { setPlaceholder } from "../../../http/placeholders.ts";
import { ResponseFilter, type ResponseSink } from "../../../http/response-sink.ts";
import type { RouteList } from "../../../http/routes.ts";
import {
  findRule,
  loadResponseRules,
  type ResponseRule,
  responseRuleSchema,
  statusFrom,
} from "../response-rules.ts";

/** Fields that speak of a body that is not sent. */
const ofBody = new Set([
  "content-length",
  "content-encoding",
  "content-range",
  "transfer-encoding",
  "accept-ranges",
  "trailer",
  "etag",
  "last-modified",
]);

/** Looks at the head of a response: lets it pass, with another status maybe, or drops all of it. */
class InterceptFilter extends ResponseFilter {
  readonly #exchange: Exchange;
  readonly #rules: readonly ResponseRule[];
  /** Set when the response is dropped: what answers in its place. */
  replacement:
    | { readonly routes: RouteList; readonly status: number; readonly headers: HeaderList }
    | undefined;

  constructor(below: ResponseSink, exchange: Exchange, rules: readonly ResponseRule[]) {
    super(below);
    this.#exchange = exchange;
    this.#rules = rules;
  }

  override head(status: number, headers: HeaderList): void {
    const rule = findRule(this.#rules, status, headers, this.#exchange);
    if (rule?.routes !== undefined) {
      this.replacement = { routes: rule.routes, status, headers };
      return;
    }
    super.head(
      rule?.status === undefined ? status : statusFrom(rule.status, this.#exchange, status),
      headers,
    );
  }

  override write(chunk: Uint8Array): boolean {
    return this.replacement !== undefined || super.write(chunk);
  }

  override end(chunk?: Uint8Array): void {
    if (this.replacement === undefined) {
      super.end(chunk);
    }
  }

  override flush(): void {
    if (this.replacement === undefined) {
      super.flush();
    }
  }

  /** Runs the routes that answer in place of what was dropped; with none of them answering, its status stands. */
  replace(): void | Promise<void> {
    const { replacement } = this;
    const exchange = this.#exchange;
    if (replacement === undefined) {
      return undefined;
    }
    const { routes, status, headers } = replacement;
    setPlaceholder(exchange, "http.intercept.status_code", String(status));
    for (let index = 0; index < headers.length; index += 2) {
      const field = (headers[index] ?? "").toLowerCase();
      setPlaceholder(exchange, `http.intercept.header.${field}`, getHeaders(headers, field).join(","));
    }
    removeHeaders(headers, (name) => ofBody.has(name));
    exchange.restartResponse(this.below);
    exchange.responseHeaders = headers;
    return routes.run(exchange, () => {
      removeHeaders(headers, (name) => name === "content-type");
      headers.push("Content-Length", "0");
      exchange.respond(status);
    });
  }
}

/** Replaces responses of what comes after. Source: the public model (Caddy 2.11), without its wrong Content-Length */
export const intercept = defineModule({
  id: "http.handlers.intercept",
  config: z.strictObject({
    handle_response: z
      .array(responseRuleSchema)
      .nullish()
      .describe("The first that matches counts; `{http.intercept.*}` tells its routes of the response."),
  }),
  async provision(config, context): Promise<HttpHandler> {
    const rules = await loadResponseRules(config.handle_response ?? [], context);
    return {
      handle(exchange, next) {
        const filter = exchange.interceptResponse((below) => new InterceptFilter(below, exchange, rules));
        const running = next(exchange);
        return running === undefined ? filter.replace() : running.then(() => filter.replace());
      },
    };
  },
});
