import type { Socket } from "node:net";
import { sleep } from "../client/http1-exchange.ts";
import type { Message } from "../client/message-reader.ts";
import type { Progress } from "../client/progress.ts";

/** A request for which an upstream must answer. */
export interface UpstreamExchange {
  readonly socket: Socket;
  readonly request: Message;
  /** The number of bytes that the client of the exchange has received; undefined when the exchange is unknown. */
  readonly progress: Progress | undefined;
  /** Milliseconds: a piece that needs longer was held back by the server. */
  readonly pieceLimitMs: number;
  /** The argument after `=` in the name of the behaviour. */
  readonly argument: string;
  /** Resolves when the whole body of the request has arrived. @returns false when the connection ended earlier */
  wholeRequest(): Promise<boolean>;
  /** Records if a piece reached the client before the next one was sent. */
  noteFlow(hasArrived: boolean): void;
}

/** Sends pieces, each after the client has received the previous one. */
export async function sendPieces(exchange: UpstreamExchange, pieces: readonly string[]): Promise<void> {
  const { socket, progress } = exchange;
  const gone = new Promise<boolean>((resolve) => {
    socket.once("end", () => resolve(false));
    socket.once("close", () => resolve(false));
  });
  for (const [index, piece] of pieces.entries()) {
    if (socket.destroyed || socket.readableEnded) {
      return;
    }
    const before = progress?.bytes ?? 0;
    socket.write(piece, "latin1");
    if (index === pieces.length - 1) {
      return;
    }
    if (progress === undefined) {
      await sleep(10);
    } else {
      exchange.noteFlow(await Promise.race([progress.reaches(before, exchange.pieceLimitMs), gone]));
    }
  }
}
