import { once } from "node:events";
import { connect } from "node:net";

/** For tests: sends a text, one byte for each character, and returns all bytes until the connection closes. */
export async function rawRequest(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(Buffer.from(text, "latin1"));
  await once(socket, "close");
  return Buffer.concat(chunks).toString("latin1");
}
