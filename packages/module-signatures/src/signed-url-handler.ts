import { defineModule, type HttpHandler, z } from "server-module-api";
import { SignedUrl, signedUrlFields } from "./signed-url.ts";

/** Schema of an optional name in the config. */
const name = (about: string) => z.string().nullish().describe(about);

/** Capitalizes error texts for clients. */
const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}\n`;

/**
 * Passes requests with a signed URL; all other requests are refused. Source: the Caddy module of the same name
 * (hookenz/caddy-signedurls)
 */
export const signedUrl = defineModule({
  id: "http.handlers.signed_url",
  config: z.strictObject({
    ...signedUrlFields,
    query_param: name("Parameter with the signature, in hexadecimal digits or Base64 (`signature`)."),
    header: name("Field with the signature, where the parameter is absent (`X-Signature`)."),
    expires_param: name(
      "Parameter with the Unix time, in seconds, after which the URL is refused (`expires`).",
    ),
    issued_param: name("Parameter with the Unix time, in seconds, at which the URL was signed (`issued`)."),
  }),
  provision(config): HttpHandler {
    const urls = new SignedUrl(config.secret, config.algorithm, {
      query: config.query_param || "signature",
      header: config.header || "X-Signature",
      expires: config.expires_param || "expires",
      issued: config.issued_param || "issued",
    });
    return {
      startsNothing: true,
      inRehearsal: "runs",
      handle(exchange, next) {
        const verdict = urls.judge(exchange);
        if (verdict === "good") {
          return next(exchange);
        }
        exchange.responseHeaders.push(
          "Content-Type",
          "text/plain; charset=utf-8",
          "X-Content-Type-Options",
          "nosniff",
        );
        exchange.respond(verdict.endsWith("parameter") ? 400 : 401, capitalized(verdict));
        return undefined;
      },
    };
  },
});
