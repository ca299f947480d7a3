import type { HttpHandler } from "http-engine/handler";
import { removeHeaders } from "http-engine/header-list";
import { compileBodyTemplate } from "http-engine/placeholders";
import { defineModule } from "server-core/modules/module";
import { bufferOfText } from "server-core/uri/text-of-bytes";
import { z } from "zod";
import { compileResponseMatcher, responseMatcherSchema } from "../../matchers/response-matcher.ts";
import { ReplacingFilter } from "./replacing-filter.ts";

/**
 * Maximum number of bytes of a search text. A config with a longer text is refused. At most this many bytes of a
 * response wait for the end of a match.
 */
const maxSearchLength = 4096;

const configSchema = z.strictObject({
  /** All texts are searched in the original body: a replacement is not searched again. */
  replacements: z
    .array(
      z.strictObject({
        search: z.string().min(1).max(maxSearchLength).describe("The text to look for, as it is."),
        replace: z.string().nullish().describe("The text in its place; may have placeholders."),
      }),
    )
    .min(1)
    .describe("Replaced in one pass: the first match counts, of those at one place the first of the list."),
  match: responseMatcherSchema.nullish().describe("Responses to look into (all)."),
});

/**
 * Replaces texts in response bodies while they pass. It requests whole, uncompressed bodies from later handlers,
 * because it cannot search other bodies.
 */
export const replace = defineModule({
  id: "http.handlers.replace",
  config: configSchema,
  provision({ replacements, match }): HttpHandler {
    const compiled = replacements.map(({ search, replace: text }) => ({
      search: Buffer.from(search),
      template: compileBodyTemplate(text ?? ""),
    }));
    const matches = compileResponseMatcher(match ?? {});
    return {
      inRehearsal: "changes the answer",
      handle(exchange, next) {
        exchange.changeRequestHeaders((headers) =>
          removeHeaders(headers, (name) => name === "accept-encoding" || name === "range"),
        );
        exchange.interceptResponse(
          (below) =>
            new ReplacingFilter(below, exchange, matches, (filled) =>
              compiled.map(({ search, template }) => ({ search, replace: bufferOfText(template(filled)) })),
            ),
        );
        return next(exchange);
      },
    };
  },
});
