import { Transform } from "node:stream";
import { z } from "zod";
import { defineModule } from "../../core/modules/module.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { HttpHandler } from "../../http/handler.ts";
import { removeHeaders } from "../../http/header-list.ts";
import { HttpError } from "../../http/http-error.ts";
import { compileTemplate } from "../../http/placeholders.ts";

/** Hands a body on up to a number of bytes, then fails with 413. */
class LimitedBody extends Transform {
  readonly #limit: number;
  #length = 0;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  override _transform(
    chunk: Buffer,
    _encoding: string,
    done: (error?: Error | null, chunk?: Buffer) => void,
  ) {
    this.#length += chunk.length;
    if (this.#length > this.#limit) {
      done(new HttpError(413, `request body is larger than the limit of ${this.#limit} bytes`));
    } else {
      done(null, chunk);
    }
  }
}

function limitBody(exchange: Exchange, limit: number): void {
  if (!exchange.hasBody) {
    return;
  }
  const limited = new LimitedBody(limit);
  const { body } = exchange;
  body.once("error", (error) => limited.destroy(error));
  exchange.replaceBody(limited);
  body.pipe(limited);
}

/** Limits or replaces the body of the request. Source: the public model (Caddy 2.11) */
export const requestBody = defineModule({
  id: "http.handlers.request_body",
  config: z.strictObject({
    max_size: z
      .int()
      .min(0)
      .nullish()
      .describe("Bytes from which a body is refused with 413, when somebody reads that far (unlimited)."),
    set: z.string().nullish().describe("Another body; placeholders allowed."),
  }),
  provision(config): HttpHandler {
    const limit = config.max_size || undefined;
    const set = config.set ? compileTemplate(config.set) : undefined;
    return {
      handle(exchange, next) {
        if (set !== undefined) {
          const bytes = Buffer.from(set(exchange));
          exchange.replaceBody(bytes);
          exchange.changeRequestHeaders((headers) => {
            removeHeaders(headers, (name) => name === "content-length" || name === "transfer-encoding");
            headers.push("Content-Length", String(bytes.length));
          });
        }
        if (limit !== undefined) {
          limitBody(exchange, limit);
        }
        return next(exchange);
      },
    };
  },
});
