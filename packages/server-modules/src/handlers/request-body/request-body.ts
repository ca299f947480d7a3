import type { Readable } from "node:stream";
import { type BodyFilter, FilteredBody } from "http-engine/body/filtered-body";
import type { HttpHandler } from "http-engine/handler";
import { removeHeaders, setContentLength } from "http-engine/header-list";
import { HttpError } from "http-engine/http-error";
import { compileBodyTemplate } from "http-engine/placeholders";
import { configCount } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { bufferOfText } from "server-core/uri/text-of-bytes";
import { z } from "zod";

function tooLarge(limit: number): HttpError {
  return new HttpError(413, `request body is larger than the limit of ${limit} bytes`);
}

/** Passes a body up to a limit; a longer body fails with 413. */
class LimitedBody extends FilteredBody {
  /** Maximum number of bytes of the body. */
  readonly #limit: number;
  /** Bytes passed until now. */
  #length = 0;

  constructor(source: Readable, limit: number) {
    super(source);
    this.#limit = limit;
  }

  protected override pass(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length > this.#limit) {
      throw tooLarge(this.#limit);
    }
  }
}

/** A body with a larger `Content-Length` is refused before it is read. */
function sizeLimit(limit: number): BodyFilter {
  return {
    admit(bytes) {
      if (bytes > limit) {
        throw tooLarge(limit);
      }
    },
    apply: (source) => new LimitedBody(source, limit),
  };
}

/** Limits or replaces the body of the request. Source: Caddy 2.11 */
export const requestBody = defineModule({
  id: "http.handlers.request_body",
  config: z.strictObject({
    max_size: configCount()
      .nullish()
      .describe(
        "Bytes beyond which a body is refused with 413: by its Content-Length before any of it is read (unlimited).",
      ),
    set: z.string().nullish().describe("Another body; placeholders allowed."),
  }),
  provision(config): HttpHandler {
    const filter = config.max_size ? sizeLimit(config.max_size) : undefined;
    const set = config.set ? compileBodyTemplate(config.set) : undefined;
    return {
      startsNothing: set === undefined,
      inRehearsal: "runs",
      handle(exchange, next) {
        if (set !== undefined) {
          const bytes = bufferOfText(set(exchange));
          exchange.replaceBody(bytes);
          exchange.changeRequestHeaders((headers) => {
            removeHeaders(headers, (name) => name === "content-length" || name === "transfer-encoding");
            setContentLength(headers, bytes.length);
          });
        }
        if (filter !== undefined && exchange.hasBody) {
          // The filter is installed before the check, so that error routes cannot read a refused body.
          exchange.filterBody(filter);
          // Checked even if no handler reads the body.
          const declared = exchange.bufferedBody?.length ?? exchange.stream.bodyLength;
          if (declared !== undefined && declared > (config.max_size ?? 0)) {
            throw tooLarge(config.max_size ?? 0);
          }
        }
        return next(exchange);
      },
    };
  },
});
