import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createSecureContext, createServer as createTlsServer } from "node:tls";
import { challengeProtocol, challengeTokenOf } from "../../../acme/challenge-names.ts";
import type { ChallengeBoard } from "./challenge-board.ts";

/** @param hostport value of the header `Host` */
function hostOf(hostport: string): string {
  return hostport.replace(/:\d*$/, "");
}

/** A server that can be closed. */
interface Closable {
  close(): unknown;
}

/** Listens on a port. @returns undefined when the port is in use. @throws other errors, such as missing rights */
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
 * Answers HTTP-01 on a port while a challenge runs. If the port is in use, a site of this server probably uses it, and
 * this site answers the challenge.
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

/** Like {@link listenForTokens}, for TLS-ALPN-01. */
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
