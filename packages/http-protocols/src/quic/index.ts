export { Connection } from "./connection/connection.ts";
export type { CloseReason, ConnectionEvents } from "./connection/connection-options.ts";
export { type ConnectionSettings, defaultSettings } from "./connection/settings.ts";
export { ServerEndpoint, type ServerEndpointOptions } from "./endpoint/server-endpoint.ts";
export { UdpServer } from "./endpoint/udp-server.ts";
export { QuicError } from "./quic-error.ts";
export type { QuicStream, StreamHandler } from "./streams/quic-stream.ts";
export type { Certificate } from "./tls/handshake-messages.ts";
