import { hmac } from "./hmac.ts";
import { hmacText } from "./hmac-text.ts";
import { signedUrl } from "./signed-url-handler.ts";
import { signedUrlText } from "./signed-url-handler-text.ts";
import { signedUrlMatcher } from "./signed-url-matcher.ts";
import { signedUrlMatcherText } from "./signed-url-matcher-text.ts";

/** The modules with their texts, for a config that names this package under `modules`. */
export default [
  { ...hmac, ...hmacText, after: "oidc" },
  { ...signedUrl, ...signedUrlText, after: "basic_auth" },
  { ...signedUrlMatcher, ...signedUrlMatcherText },
];
