import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createSecureContext, createServer as createTlsServer } from "node:tls";
import { challengePath, challengeProtocol } from "../../../acme/challenge-names.ts";
import { isChallengeToken } from "../../../acme/identifier-names.ts";
import type { ChallengeBoard } from "./challenge-board.ts";

/** Path below which files lie that prove a name. Source: CA/Browser Forum, Baseline Requirements, 3.2.2.4.18 */
export const validationPath = "/.well-known/pki-validation/";

/** Longest name of such a file. */
const validationFile = /^[\w-]{1,512}\.txt$/;

/**
 * The token that an authority requests by a path, or the name of a file that ends with `.txt`; "" for any
 * other path.
 */
export function challengeTokenOf(path: string): string {
  if (path.startsWith(challengePath)) {
    const token = path.slice(challengePath.length);
    return isChallengeToken(token) ? token : "";
  }
  const file = path.startsWith(validationPath) ? path.slice(validationPath.length) : "";
  return validationFile.test(file) ? file : "";
}

/** @param hostport value of the header `Host` */
function hostOf(hostport: string): string {
  return hostport.replace(/:\d*$/, "");
}

/** Ends a listener. */
interface Closable {
  close(): unknown;
}

/** @returns undefined when the port is taken. @throws any other failure to listen, such as missing rights */
async function listen(
  server: import("node:net").Server,
  port: number,
  host: string,
): Promise<Closable | undefined> {
  try {
    server.listen({ port, ...(host === "" ? {} : { host }) });
    await once(server, "listening");
    return server;
  } catch (error) {
    server.close();
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") {
      return undefined;
    }
    throw error;
  }
}

/**
 * Answers HTTP-01 on a port for as long as a challenge takes. Where the port is taken, it is taken by a site of this server,
 * which answers itself.
 */
export function listenForTokens(
  board: ChallengeBoard,
  port: number,
  host: string,
): Promise<Closable | undefined> {
  const answer: RequestListener = (request, response) => {
    const token = challengeTokenOf(request.url ?? "");
    const text = board.token({ token, host: hostOf(request.headers.host ?? "") });
    response.writeHead(text === undefined ? 404 : 200, { "Content-Type": "text/plain" }).end(text ?? "");
  };
  return listen(createServer(answer), port, host);
}

/** As {@link listenForTokens}, for TLS-ALPN-01. */
export function listenForHandshakes(
  board: ChallengeBoard,
  port: number,
  host: string,
): Promise<Closable | undefined> {
  const server = createTlsServer(
    {
      ALPNProtocols: [challengeProtocol],
      SNICallback(name, done) {
        const [found] = board.certificate(name.toLowerCase())?.certificates ?? [];
        if (found === undefined) {
          done(new Error("no challenge for this name"));
        } else {
          done(null, createSecureContext(found));
        }
      },
    },
    (socket) => socket.end(),
  );
  server.on("tlsClientError", () => {});
  return listen(server, port, host);
}
