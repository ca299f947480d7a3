import { randomBytes } from "node:crypto";
import type { Exchange } from "http-engine/exchange";
import { setContentLength, setHeader } from "http-engine/header-list";
import type { StoredKey } from "./key-store.ts";
import { messageType } from "./posted-message.ts";

/** Content of a page. */
export interface KeyPage {
  readonly user: string;
  /** `sign_in`: use a key; `first`: register the first one; `manage`: add and remove keys. */
  readonly kind: "sign_in" | "first" | "manage";
  /** Options of `navigator.credentials.get` or `create`, with bytes in base64url. */
  readonly options: object;
  readonly keys: readonly StoredKey[];
  /** Challenge of a removal; "" when none is possible. */
  readonly removal: string;
  /** 200 for GET and HEAD, otherwise 401. */
  readonly status: number;
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
/** JSON that neither ends its element nor starts a comment. */
const inScript = (value: object) => JSON.stringify(value).replace(/</g, "\\u003c");

const style = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 15vh auto 0; max-width: 26rem; padding: 1.5rem; }
h1 { font-size: 1.25rem; }
input, button { box-sizing: border-box; font: inherit; padding: .5rem; }
form input, form button { width: 100%; margin-top: .5rem; }
li { align-items: center; display: flex; gap: .5rem; justify-content: space-between; margin-top: .5rem; }
ul { list-style: none; padding: 0; }
[role=alert] { color: light-dark(#b3261e, #f2b8b5); }
`;

const script = `
const page = JSON.parse(document.getElementById("page").textContent);
const alertBox = document.querySelector("[role=alert]");
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
const text = (buffer) => {
  let binary = "";
  for (const byte of new Uint8Array(buffer)) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\\+/g, "-").replace(/\\//g, "_").replace(/=+$/, "");
};
const keyed = (list) => (list ?? []).map((key) => ({ ...key, id: bytes(key.id) }));
async function send(message) {
  const answer = await fetch(location.href, {
    method: "POST",
    headers: { "Content-Type": ${JSON.stringify(messageType)} },
    body: JSON.stringify(message),
  });
  if (answer.ok) return location.reload();
  throw new Error((await answer.json().catch(() => ({}))).error ?? "The server answered " + answer.status + ".");
}
async function signIn() {
  const { challenge, allowCredentials, ...rest } = page.options;
  const key = await navigator.credentials.get({
    publicKey: { ...rest, challenge: bytes(challenge), allowCredentials: keyed(allowCredentials) },
  });
  const { clientDataJSON, authenticatorData, signature } = key.response;
  await send({ action: "sign_in", credential: { id: key.id, rawId: text(key.rawId), type: key.type, response: {
    clientDataJSON: text(clientDataJSON), authenticatorData: text(authenticatorData), signature: text(signature),
  } } });
}
async function register(name) {
  const { challenge, user, excludeCredentials, ...rest } = page.options;
  const key = await navigator.credentials.create({ publicKey: { ...rest, challenge: bytes(challenge),
    user: { ...user, id: bytes(user.id) }, excludeCredentials: keyed(excludeCredentials) } });
  const { clientDataJSON, attestationObject } = key.response;
  await send({ action: "register", name, credential: { id: key.id, rawId: text(key.rawId), type: key.type, response: {
    clientDataJSON: text(clientDataJSON), attestationObject: text(attestationObject),
    transports: key.response.getTransports?.() ?? [],
  } } });
}
async function attempt(work) {
  alertBox.textContent = "";
  try {
    if (!window.PublicKeyCredential) throw new Error("This browser has no passkeys, or the page is not secure.");
    await work();
  } catch (error) {
    const reasons = { NotAllowedError: "The key was not used in time, or the dialog was closed.",
      InvalidStateError: "This key is registered already." };
    alertBox.textContent = reasons[error.name] ?? error.message;
  }
}
document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = document.getElementById("name")?.value ?? "";
  attempt(() => (page.kind === "sign_in" ? signIn() : register(name)));
});
for (const button of document.querySelectorAll("button[data-id]")) {
  button.addEventListener("click", () =>
    attempt(() => send({ action: "remove", id: button.dataset.id, challenge: page.removal })));
}
`;

const titles = { sign_in: "Use your passkey", first: "Register a passkey", manage: "Your passkeys" } as const;

function keyList({ keys, removal }: KeyPage): string {
  const rows = keys.map(({ id, name, created }) => {
    const label = `${escapeHtml(name || "Key")}, ${created.slice(0, 10)}`;
    const button = removal === "" ? "" : ` <button type="button" data-id="${escapeHtml(id)}">Remove</button>`;
    return `<li><span>${label}</span>${button}</li>`;
  });
  return `<ul>\n${rows.join("\n")}\n</ul>\n`;
}

function pageText(page: KeyPage, nonce: string): string {
  const { user, kind, options, removal } = page;
  const nameField =
    kind === "sign_in"
      ? ""
      : '<label for="name">Name of the key</label>\n<input id="name" maxlength="64" autocomplete="off">\n';
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titles[kind]}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main>
<h1>${titles[kind]}</h1>
<p>Signed in as ${escapeHtml(user)}.</p>
${kind === "manage" ? keyList(page) : ""}<form>
${nameField}<button type="submit" autofocus>${kind === "sign_in" ? "Use passkey" : "Add a passkey"}</button>
</form>
<p role="alert"></p>
</main>
<script id="page" type="application/json">${inScript({ kind, options, removal })}</script>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`;
}

export function sendKeyPage(exchange: Exchange, page: KeyPage): void {
  const nonce = randomBytes(18).toString("base64");
  const body = pageText(page, nonce);
  const headers = exchange.responseHeaders;
  setHeader(headers, "Content-Type", "text/html; charset=utf-8");
  setHeader(headers, "Cache-Control", "no-store");
  setHeader(
    headers,
    "Content-Security-Policy",
    `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  );
  setContentLength(headers, Buffer.byteLength(body));
  exchange.respond(page.status, exchange.method === "HEAD" ? "" : body);
}
