import { createSocket } from "node:dgram";
import type { CorpusMessage } from "../corpus/corpus-message.ts";
import { grpcRequest } from "./grpc-request.ts";
import { type HttpAnswer, httpRequest } from "./http-request.ts";
import type { TracingBackend } from "./tracing-backend.ts";

function bodyOf({ contentType, body }: HttpAnswer): unknown {
  return contentType.startsWith("text/") || contentType.startsWith("application/json")
    ? body.toString()
    : { hex: body.toString("hex") };
}

function sendPacket(address: string, packet: Uint8Array): Promise<void> {
  const [host, port] = address.split(":");
  const socket = createSocket("udp4");
  return new Promise((resolve, reject) =>
    socket.send(packet, Number(port), host, (error) =>
      socket.close(() => (error === null ? resolve() : reject(error))),
    ),
  );
}

/** Sends one message. @returns the answer to the sender, in a comparable form; `null` over UDP, which has no answers */
export async function sendMessage(
  { addresses, grpcPath }: TracingBackend,
  { delivery, body }: CorpusMessage,
): Promise<unknown> {
  const address = addresses[delivery.door];
  switch (delivery.over) {
    case "udp":
      await sendPacket(address, body);
      return null;
    case "grpc": {
      const { code, details, messages } = await grpcRequest(address, grpcPath(delivery.path), body);
      return { code, details, messages: messages.map((message) => message.toString("hex")) };
    }
    case "http": {
      const { path, headers, method = "POST" } = delivery;
      // The length is set, because Node would send a GET's body in chunks.
      const answer = await httpRequest(address, path, {
        method,
        headers,
        ...(method !== "GET" && { body }),
      });
      return { status: answer.status, type: answer.contentType, body: bodyOf(answer) };
    }
  }
}
