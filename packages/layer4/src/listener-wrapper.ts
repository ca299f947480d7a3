import { Socket } from "node:net";
import type { ConnectionWrapper } from "http-engine/connection-wrapper";
import { setPeer } from "http-engine/proxy-protocol/take-proxy-header";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Connection } from "./connection/connection.ts";
import { Layer4Server } from "./layer4-server.ts";
import { routesShape } from "./routes/route-config.ts";
import { RouteList } from "./routes/routes.ts";

/**
 * The socket of a connection that continues to an HTTP server.
 * HTTP needs the socket itself. The client address of a PROXY protocol header is kept for the HTTP server.
 * @throws Error for a stream that is not a socket
 */
function socketOf(connection: Connection): Socket {
  const stream = connection.take();
  if (!(stream instanceof Socket)) {
    stream.destroy();
    throw new Error("behind throttle or tee a connection cannot go on to the HTTP server");
  }
  const { remoteAddress: address, remotePort: port } = connection.addresses;
  if (address !== "" && address !== stream.remoteAddress) {
    setPeer(stream, { address, port });
  }
  return stream;
}

/**
 * Routes for raw connections on an address of an HTTP server. Connections that no route takes continue to HTTP. So one
 * port can serve SSH and HTTPS. Source: caddy-l4, `caddy.listeners.layer4`
 */
export const listenerWrapper = defineModule({
  id: "caddy.listeners.layer4",
  config: z.strictObject(routesShape),
  async provision(config, context): Promise<ConnectionWrapper> {
    const routes = await RouteList.load(config, context, "routes");
    const server = new Layer4Server("of a listener wrapper", routes, context.log);
    return {
      wrap(socket, next) {
        server.takeOr(socket, (connection) => {
          next(socketOf(connection));
          return true;
        });
      },
    };
  },
});
