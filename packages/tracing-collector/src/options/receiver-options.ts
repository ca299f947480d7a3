import { bytes, hostPort } from "lifecycle";
import { z } from "zod";

/** Where spans come in. Names and defaults are the public model's. */
export const receiverOptions = z.object({
  "collector.otlp.enabled": z.boolean().default(true).describe("Whether OTLP is served."),
  "collector.otlp.grpc.host-port": hostPort(":4317").describe("Address of OTLP over gRPC."),
  "collector.otlp.grpc.max-message-size": bytes("4MiB").describe("Largest message, decompressed."),
  "collector.otlp.http.host-port": hostPort(":4318").describe("Address of OTLP over HTTP."),
  "collector.grpc-server.host-port": hostPort(":14250").describe("Address of the api_v2 gRPC service."),
  "collector.grpc-server.max-message-size": bytes("4MiB").describe("Largest message, decompressed."),
});
