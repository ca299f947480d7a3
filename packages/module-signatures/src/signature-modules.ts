import { type ListedModule, listed } from "server-module-api";
import { hmac } from "./hmac.ts";
import { hmacText } from "./hmac-text.ts";
import { signedUrl } from "./signed-url-handler.ts";
import { signedUrlText } from "./signed-url-handler-text.ts";
import { signedUrlMatcher } from "./signed-url-matcher.ts";
import { signedUrlMatcherText } from "./signed-url-matcher-text.ts";

/** A package of this name replaces these modules when a config lists it under `modules`. */
const packageName = "module-signatures";

/** Handlers and a matcher for the server's own list of modules. */
export const signatureModules: readonly ListedModule[] = [
  listed("http.handlers.hmac", () => hmac, {
    package: packageName,
    after: "oidc",
    text: () => hmacText,
  }),
  listed("http.handlers.signed_url", () => signedUrl, {
    package: packageName,
    after: "basic_auth",
    text: () => signedUrlText,
  }),
  listed("http.matchers.signed_url", () => signedUrlMatcher, {
    package: packageName,
    text: () => signedUrlMatcherText,
  }),
];
