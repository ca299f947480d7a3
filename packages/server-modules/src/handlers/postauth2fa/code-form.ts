import { randomBytes } from "node:crypto";
import type { Exchange } from "http-engine/exchange";
import { setContentLength, setHeader } from "http-engine/header-list";
import { HttpError } from "http-engine/http-error";
import { messageOf, ServerError } from "server-core/errors";
import { readRegularFile } from "server-core/files/read-regular-file";
import { basicFunctions } from "../templates/basic-functions.ts";
import { TemplateRun } from "../templates/evaluate-template.ts";
import { parseTemplate } from "../templates/template-parser.ts";

export interface FormContent {
  readonly user: string;
  /** Number of digits of the code. */
  readonly digits: number;
  /** The fault of the last code; "" the first time. */
  readonly message: string;
  /** 200, or 429 while the user has to wait. */
  readonly status: number;
}

export type SendForm = (exchange: Exchange, content: FormContent) => Promise<void>;

/** Maximum number of bytes of a template. */
const maxTemplateBytes = 1024 * 1024;

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const style = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 15vh auto 0; max-width: 22rem; padding: 1.5rem; }
h1 { font-size: 1.25rem; }
input, button { box-sizing: border-box; font: inherit; padding: .5rem; width: 100%; }
button { margin-top: .75rem; }
[role=alert] { color: light-dark(#b3261e, #f2b8b5); }
`;

function builtInForm({ user, digits, message }: FormContent, nonce: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Code</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main>
<h1>Code of your authenticator</h1>
<p>Signed in as ${escapeHtml(user)}.</p>
${message === "" ? "" : `<p role="alert">${escapeHtml(message)}</p>\n`}<form method="post">
<label for="totp_code">Code with ${digits} digits</label>
<input id="totp_code" name="totp_code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9]{${digits}}" maxlength="${digits}" required autofocus>
<button type="submit">Go on</button>
</form>
</main>
</body>
</html>
`;
}

/** Loads a template of the user's own, with the names of Caddy's plug-in. @throws ServerError MODULE_CONFIG */
async function loadTemplate(path: string): Promise<(content: FormContent, nonce: string) => Promise<string>> {
  try {
    const text = (await readRegularFile(path, maxTemplateBytes)).toString("utf8");
    const template = parseTemplate(text, "{{", "}}");
    return async ({ user, digits, message }, nonce) =>
      await new TemplateRun(basicFunctions).run(template, {
        Username: escapeHtml(user),
        ErrorMessage: message,
        Nonce: nonce,
        TOTPCodeLength: digits,
      });
  } catch (error) {
    throw new ServerError("MODULE_CONFIG", `form_template: ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** @param path template of the user's own; "" for the built-in form */
export async function compileForm(path: string): Promise<SendForm> {
  const render =
    path === ""
      ? async (...args: Parameters<typeof builtInForm>) => builtInForm(...args)
      : await loadTemplate(path);
  return async (exchange, content) => {
    const nonce = randomBytes(18).toString("base64");
    let page: string;
    try {
      page = await render(content, nonce);
    } catch (error) {
      throw new HttpError(500, `form_template: ${messageOf(error)}`, { cause: error });
    }
    const headers = exchange.responseHeaders;
    setHeader(headers, "Content-Type", "text/html; charset=utf-8");
    setHeader(headers, "Cache-Control", "no-store");
    setHeader(
      headers,
      "Content-Security-Policy",
      `default-src 'none'; style-src 'self' 'nonce-${nonce}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    );
    setContentLength(headers, Buffer.byteLength(page));
    exchange.respond(content.status, exchange.method === "HEAD" ? "" : page);
  };
}
