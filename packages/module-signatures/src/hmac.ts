import {
  compileTemplate,
  configCount,
  defineModule,
  HttpError,
  type HttpHandler,
  setPlaceholder,
  z,
} from "server-module-api";
import { isSignature, sign } from "./signature.ts";

/** Default limit of the body, in bytes. The whole body is held in memory. */
const defaultMaxBytes = 25 * 1024 * 1024;

const configSchema = z.strictObject({
  algorithm: z
    .enum(["md5", "sha1", "sha256", "sha384", "sha512"], {
      error: "unsupported hash type; it is sha1, sha256, sha384, sha512 or md5",
    })
    .describe("Digest of the signature: `sha1`, `sha256`, `sha384`, `sha512` or `md5`."),
  secret: z
    .string()
    .min(1, { error: "secret is required" })
    .describe("Key that bodies are signed with; placeholders allowed."),
  name: z
    .string()
    .regex(/^[\w-]*$/, { error: "a name has letters, digits, _ and - only" })
    .nullish()
    .describe("The signature is `{hmac.<name>.signature}` then (`{hmac.signature}`)."),
  verify: z
    .string()
    .nullish()
    .describe(
      "The signature that the client sent, as `{http.request.header.X-Hub-Signature-256}`: a request without the right one gets 403. A beginning such as `sha256=` is left out.",
    ),
  max_size: configCount()
    .nullish()
    .describe("Bytes of a body beyond which the request is refused with 413 (25 MiB)."),
});

/**
 * Signs the request body for later matchers and handlers. With `verify`, it also checks the client's signature. Source:
 * the Caddy module of the same name (abiosoft/caddy-hmac)
 */
export const hmac = defineModule({
  id: "http.handlers.hmac",
  config: configSchema,
  provision(config): HttpHandler {
    const { algorithm } = config;
    const secretOf = compileTemplate(config.secret);
    const placeholder = config.name ? `hmac.${config.name}.signature` : "hmac.signature";
    const sentOf = config.verify ? compileTemplate(config.verify) : undefined;
    const maxBytes = config.max_size || defaultMaxBytes;
    return {
      inRehearsal: "may answer",
      async handle(exchange, next) {
        const secret = secretOf(exchange);
        if (secret === "") {
          throw new HttpError(500, "hmac: the placeholders of the secret have no value");
        }
        const expected = sign(algorithm, secret, await exchange.bufferBody(maxBytes));
        if (sentOf !== undefined) {
          const sent = sentOf(exchange).trim();
          const bare = sent.toLowerCase().startsWith(`${algorithm}=`)
            ? sent.slice(algorithm.length + 1)
            : sent;
          if (!isSignature(algorithm, expected, bare)) {
            throw new HttpError(
              403,
              sent === "" ? "hmac: the signature is missing" : "hmac: the signature is wrong",
            );
          }
        }
        setPlaceholder(exchange, placeholder, expected.toString("hex"));
        return next(exchange);
      },
    };
  },
});
