import { connect } from "node:net";

export interface RawAnswer {
  /** Status of the last answer on the connection; 0 when the connection was closed without an answer. */
  readonly status: number;
  /** All received bytes, one character for each byte. */
  readonly text: string;
}

/**
 * Sends bytes unchanged, and reads until the other side closes; no client checks the bytes.
 * @param text one character for each byte
 * @param halfClose true: ends the sending side after the text
 */
export async function rawHttp(
  url: string,
  text: string,
  { halfClose = false }: { halfClose?: boolean } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("end", () => socket.end());
  // The other side may close before all bytes are sent.
  socket.on("error", () => {});
  socket.write(Buffer.from(text, "latin1"));
  if (halfClose) {
    socket.end();
  }
  await new Promise((resolve) => socket.once("close", resolve));
  const answer = Buffer.concat(chunks).toString("latin1");
  const status = [...answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].at(-1)?.[1];
  return { status: Number(status ?? 0), text: answer };
}

/** The head of a request, with correct line ends. @param lines request line and fields */
export function head(...lines: string[]): string {
  return `${lines.join("\r\n")}\r\n\r\n`;
}
