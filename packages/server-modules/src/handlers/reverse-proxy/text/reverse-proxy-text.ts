import type { ModuleText } from "serverfile/module-text";
import { forwardAuth } from "./forward-auth-directive.ts";
import { phpFastcgi } from "./php-fastcgi-directive.ts";
import { phpRoutesAt as runToText } from "./php-fastcgi-lines.ts";
import { reverseProxy } from "./reverse-proxy-directive.ts";
import { reverseProxy as toText } from "./reverse-proxy-lines.ts";

/** The proxy directives: readers, and writers back to text. */
export const reverseProxyText: ModuleText = {
  directives: { forward_auth: forwardAuth, reverse_proxy: reverseProxy, php_fastcgi: phpFastcgi },
  toText,
  runToText,
};
