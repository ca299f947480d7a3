import { defineModule, HttpError, type HttpMatcher, z } from "server-module-api";
import { SignedUrl, signedUrlFields } from "./signed-url.ts";

/**
 * Matches requests with a valid signed URL, and fails all other requests. Source: the Caddy module of the same name
 * (hookenz/caddy-signed-urls)
 */
export const signedUrlMatcher = defineModule({
  id: "http.matchers.signed_url",
  config: z
    .strictObject(signedUrlFields)
    .describe("Requests with a signed URL; without a good signature the request ends with 400 or 403."),
  provision(config): HttpMatcher {
    const urls = new SignedUrl(config.secret, config.algorithm, {
      query: "signature",
      header: "X-Signature",
      expires: "expires",
      issued: "",
    });
    return {
      matches(exchange) {
        const verdict = urls.judge(exchange);
        if (verdict !== "good") {
          throw new HttpError(verdict === "invalid signature" ? 403 : 400, verdict);
        }
        return true;
      },
    };
  },
});
