import { isIP } from "node:net";
import { messageOf } from "server-core/errors";
import { challengePath } from "../../../acme/challenge-names.ts";
import { AcmeProblem } from "../acme-problem.ts";
import type { Validator } from "./validation.ts";

/** Longer chains of redirects fail with `connection`. */
const maxRedirects = 10;
/** The answer, a token and a thumbprint, has 87 bytes. */
const maxAnswerBytes = 1024;
/** Timeout in milliseconds for the connection, and again for each answer. */
const timeoutMs = 10_000;

/**
 * True when a redirect may be followed, which requires one of the usual ports. Without this check, clients could make
 * this server send requests to other services. Source: RFC 8555, section 10.2
 */
function isAllowed(url: URL, httpPort: number): boolean {
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  return /^https?:$/.test(url.protocol) && [80, 443, httpPort].includes(port) && url.username === "";
}

/** Reads the start of a body. A longer body cannot be a response to a challenge. */
async function readSome(body: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const chunk of body) {
    text += chunk.toString("latin1");
    if (text.length > maxAnswerBytes) {
      break;
    }
  }
  return text;
}

/** Proof: the name's server returns the key authorization at a path with the token. Source: RFC 8555, section 8.3 */
export const validateHttp: Validator = async ({ name, token, keyAuthorization, signal }, { httpPort }) => {
  const { Agent, request } = await import("undici"); // loaded on first use, because most servers never need it
  // A redirect may lead to HTTPS before the name has a trusted certificate.
  const agent = new Agent({ allowH2: false, connect: { rejectUnauthorized: false, timeout: timeoutMs } });
  const host = isIP(name) === 6 ? `[${name}]` : name;
  let url = new URL(`http://${host}:${httpPort}${challengePath}${token}`);
  try {
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const { statusCode, headers, body } = await request(url, {
        dispatcher: agent,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        headers: { "user-agent": "server-acme/1" },
      });
      const text = await readSome(body);
      const { location } = headers;
      if (statusCode >= 300 && statusCode < 400 && typeof location === "string") {
        url = new URL(location, url);
        if (!isAllowed(url, httpPort)) {
          throw new AcmeProblem("connection", `redirected to ${url.origin}, which is not asked`);
        }
        continue;
      }
      if (statusCode !== 200) {
        throw new AcmeProblem("incorrectResponse", `${url.href}: status ${statusCode}`);
      }
      if (text.trim() !== keyAuthorization) {
        throw new AcmeProblem("incorrectResponse", `${url.href}: not the key authorization`);
      }
      return;
    }
    throw new AcmeProblem("connection", `more than ${maxRedirects} redirects`);
  } catch (error) {
    throw error instanceof AcmeProblem
      ? error
      : new AcmeProblem("connection", `${url.origin}: ${messageOf(error)}`);
  } finally {
    await agent.destroy();
  }
};
