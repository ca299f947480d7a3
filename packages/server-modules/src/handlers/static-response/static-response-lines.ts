import type { JsonValue } from "server-core/json/json-value";
import { type Line, line, type Word } from "serverfile/to-text/lines/line";
import type { HandlerWriter, Written } from "serverfile/to-text/routes/handler-writer";
import { isStatusWord } from "serverfile/values/status-value";
import { redirectPage } from "./redir-directive.ts";

/** Words for codes of `redir`. 302 is written without a word. */
const codeNames: Readonly<Record<string, readonly string[]>> = { "301": ["permanent"], "302": [] };
/** The five characters that the page of `redir … html` escapes, for unescaping. */
const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&#39;": "'",
  "&#34;": '"',
};

/** The target of the page that `redir … html` writes; undefined for a different text. */
function targetOfPage(body: string): string | undefined {
  const [, safe] = /content="0; URL='([^']*)'"/.exec(body) ?? [];
  const target = safe?.replace(/&(?:lt|gt|amp|#39|#34);/g, (entity) => entities[entity] ?? entity);
  return target !== undefined && redirectPage(target) === body ? target : undefined;
}

/** The status as text: numbers as digits, placeholders unchanged. */
function wordOf(status: JsonValue | undefined): string | undefined {
  return status === undefined ? undefined : String(status);
}

/** True for a status that `redir` accepts. */
function isRedirect(status: string): boolean {
  return status.startsWith("{") || /^(3\d\d|401)$/.test(status);
}

/** Words of `respond`: body and status on the line. A body that looks like a status is written in the block. */
function respondWords(
  body: string | undefined,
  status: string | undefined,
): { words: Word[]; lines: Line[] } {
  if (body === undefined) {
    return { words: status === undefined ? [""] : isStatusWord(status) ? [status] : ["", status], lines: [] };
  }
  if (status !== undefined) {
    return { words: [body, status], lines: [] };
  }
  return isStatusWord(body) ? { words: [""], lines: [line("body", body)] } : { words: [body], lines: [] };
}

/**
 * Writes `abort`, `redir` or `respond`.
 * | Config | Directive |
 * |---|---|
 * | `abort` alone | `abort` |
 * | one `Location`, a redirect status, no body | `redir to [code]` |
 * | the page of `redir html` with status 200 | `redir to html` |
 * | any other | `respond` |
 */
export const staticResponse: HandlerWriter = (handler): Written => {
  if (handler.look("abort") === true && handler.keys.join() === "abort") {
    handler.take("abort");
    return { directive: "abort", words: [] };
  }
  const status = wordOf(handler.look("status_code"));
  const headers = JSON.stringify(handler.look("headers") ?? null);
  const body = handler.look("body");
  const redirect = /^\{"Location":\["(?:[^"\\]|\\.)*"\]\}$/.test(headers)
    ? (JSON.parse(headers).Location[0] as string)
    : undefined;
  if (redirect !== undefined && body === undefined && status !== undefined && isRedirect(status)) {
    handler.take("headers");
    handler.take("status_code");
    return { directive: "redir", words: [redirect, ...(codeNames[status] ?? [status])] };
  }
  const target =
    headers === '{"Content-Type":["text/html; charset=utf-8"]}' &&
    typeof body === "string" &&
    status === "200"
      ? targetOfPage(body)
      : undefined;
  if (target !== undefined) {
    handler.take("headers");
    handler.take("status_code");
    handler.take("body");
    return { directive: "redir", words: [target, "html"] };
  }
  handler.take("status_code");
  const { words, lines } = respondWords(handler.text("body"), status);
  if (handler.boolean("close") === true) {
    lines.push(line("close"));
  }
  return { directive: "respond", words, block: lines.length === 0 ? undefined : lines };
};
