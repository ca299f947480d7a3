import { handlerDirective } from "serverfile/directives/directive";
import { onlyGiven } from "serverfile/values/draft";
import { statusValue } from "serverfile/values/status-value";

/** HTML characters that must be escaped in the page. */
const entities: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  "'": "&#39;",
  '"': "&#34;",
};

/** A page for clients that do not follow `Location`. */
export function redirectPage(to: string): string {
  const safe = to.replace(/[<>&'"]/g, (char) => entities[char] ?? char);
  return `<!DOCTYPE html>
<html>
\t<head>
\t\t<title>Redirecting...</title>
\t\t<script>window.location.replace("${safe}");</script>
\t\t<meta http-equiv="refresh" content="0; URL='${safe}'">
\t</head>
\t<body>Redirecting to <a href="${safe}">${safe}</a>...</body>
</html>
`;
}

/**
 * `redir to [permanent|temporary|html|3xx|401]`: the default is 302. `html` answers 200 with a page that redirects
 * browsers; other programs get the page itself. 401 is allowed, as in Caddy, for logins that redirect.
 * ```
 * redir https://example.com{uri} permanent
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "static_response",
 *   "status_code": 301,
 *   "headers": { "Location": ["https://example.com{http.request.uri}"] }
 * }
 * ```
 */
export const redir = handlerDirective(({ cursor }) => {
  cursor.next();
  const to = cursor.argument();
  const word = cursor.nextArgument() ? cursor.value : "";
  if (word === "html") {
    return {
      handler: "static_response",
      status_code: 200,
      headers: { "Content-Type": ["text/html; charset=utf-8"] },
      body: redirectPage(to),
    };
  }
  const code = word === "permanent" ? "301" : word === "temporary" || word === "" ? "302" : word;
  if (!code.startsWith("{")) {
    if (!/^[+-]?\d+$/.test(code)) {
      throw cursor.error(`Not a supported redir code type or not valid integer: '${code}'`);
    }
    const number = Number(code);
    if (number < 300 || (number > 399 && number !== 401)) {
      throw cursor.error(`Redir code not in the 3xx range or 401: '${number}'`);
    }
  }
  return onlyGiven({
    handler: "static_response",
    status_code: statusValue(code),
    headers: { Location: [to] },
  });
});
