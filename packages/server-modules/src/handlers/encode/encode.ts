import type { Exchange } from "http-engine/exchange";
import type { HttpHandler } from "http-engine/handler";
import { getHeaders, setHeader } from "http-engine/header-list";
import { errorWithin, ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { moduleMap } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { z } from "zod";
import { type ContentEncoder, contentEncoders } from "../../encoders/content-encoder.ts";
import { acceptedEncodings } from "../../encoding/accepted-encodings.ts";
import { compileResponseMatcher, responseMatcherSchema } from "../../matchers/response-matcher.ts";
import { encodableTypes } from "./encodable-types.ts";
import { EncodeFilter, type EncodeRules } from "./encode-filter.ts";

/** Default of `minimum_length`, in bytes: shorter bodies are not compressed. */
const defaultMinLength = 512;
/** Default preference. */
const defaultOrder = ["zstd", "br", "gzip"];

const configSchema = z.strictObject({
  encodings: moduleMap("http.encoders").nullish().describe("Content codings by name: `gzip`, `br`, `zstd`."),
  prefer: z
    .array(z.string())
    .nullish()
    .describe("Which is preferred where the client takes several alike (zstd, br, gzip)."),
  minimum_length: z
    .int()
    .nullish()
    .describe("Bodies of up to so many bytes are sent as they are (512; negative: none is)."),
  match: responseMatcherSchema
    .nullish()
    .describe("Responses that are compressed (texts, scripts, fonts and the like, by Content-Type)."),
});

/** Loads the encoders of the config, by coding name. */
async function loadEncoders(
  modules: Readonly<Record<string, unknown>>,
  context: ModuleContext,
): Promise<Map<string, ContentEncoder>> {
  const encoders = new Map<string, ContentEncoder>();
  for (const [name, config] of Object.entries(modules)) {
    try {
      const encoder = await context.load(
        contentEncoders,
        name,
        (config ?? {}) as JsonValue,
        `encodings/${name}`,
      );
      encoders.set(encoder.name, encoder);
    } catch (error) {
      throw errorWithin(`loading encoder modules: module name '${name}'`, error);
    }
  }
  return encoders;
}

/** Each name of `prefer` must be enabled, once. @throws ServerError MODULE_CONFIG */
function checkOrder(prefer: readonly string[], encoders: ReadonlyMap<string, ContentEncoder>): void {
  for (const [index, name] of prefer.entries()) {
    if (!encoders.has(name)) {
      throw new ServerError("MODULE_CONFIG", `encoding ${name} not enabled`);
    }
    if (prefer.indexOf(name) !== index) {
      throw new ServerError("MODULE_CONFIG", `encoding ${name} is duplicated in prefer`);
    }
  }
}

/**
 * Removes the coding's suffix from the client's entity tags, so that handlers recognize them. @returns true when a tag
 * had the suffix
 */
function stripCoding(exchange: Exchange, coding: string): boolean {
  const tags = getHeaders(exchange.requestHeaders, "if-none-match").join(", ");
  const stripped = tags.replaceAll(`-${coding}"`, '"');
  if (stripped === tags) {
    return false;
  }
  exchange.changeRequestHeaders((headers) => setHeader(headers, "If-None-Match", stripped));
  return true;
}

/** Compresses responses. Source: Caddy 2.11; RFC 9110 sections 8.4 and 12.5.3 */
export const encode = defineModule({
  id: "http.handlers.encode",
  config: configSchema,
  async provision(config, context): Promise<HttpHandler> {
    const encoders = await loadEncoders(config.encodings ?? {}, context);
    const prefer = config.prefer ?? [];
    checkOrder(prefer, encoders);
    const order = prefer.length > 0 ? prefer : defaultOrder.filter((name) => encoders.has(name));
    const rules: EncodeRules = {
      matches: compileResponseMatcher(config.match ?? { headers: { "Content-Type": [...encodableTypes] } }),
      minLength: config.minimum_length || defaultMinLength,
    };
    return {
      inRehearsal: "changes the answer",
      handle(exchange, next) {
        if (exchange.method === "CONNECT") {
          return next(exchange);
        }
        // A WebSocket handshake that is refused gets an ordinary response, but without compression.
        const accepted =
          exchange.header("sec-websocket-key") === ""
            ? getHeaders(exchange.requestHeaders, "accept-encoding").join(",")
            : "";
        const [name] = acceptedEncodings(accepted, order);
        const encoder = name === undefined ? undefined : encoders.get(name);
        const stripped = encoder !== undefined && stripCoding(exchange, encoder.name);
        const filter = exchange.interceptResponse(
          (below) => new EncodeFilter(below, exchange, { encoder, rules, askedForCoded: stripped }),
        );
        return filter.around(exchange, next);
      },
    };
  },
});
