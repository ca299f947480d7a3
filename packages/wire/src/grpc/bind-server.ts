import type { Server, ServerCredentials } from "@grpc/grpc-js";

/**
 * Makes a gRPC server listen.
 * @param address host "" means every address of the machine; port 0 means a free port that the system chooses
 * @returns the port
 * @throws Error with the system's code, such as EADDRINUSE, if the system returned a code
 */
export async function bindServer(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  credentials: ServerCredentials,
): Promise<number> {
  if (host !== "") {
    return await bind(server, host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`, credentials);
  }
  // grpc-js requires a host. The list of interfaces does not show if a sandbox allows IPv6 sockets, so "::" is tried
  // first.
  try {
    return await bind(server, `[::]:${port}`, credentials);
  } catch (error) {
    if (!withoutIpv6.has(String((error as NodeJS.ErrnoException).code))) {
      throw error;
    }
    return await bind(server, `0.0.0.0:${port}`, credentials);
  }
}

/** System errors for "::" if the machine has no IPv6, or if this process must not use it. */
const withoutIpv6 = new Set(["EAFNOSUPPORT", "EADDRNOTAVAIL"]);

function bind(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => {
      if (error === null) {
        resolve(port);
      } else {
        reject(withCode(error));
      }
    });
  });
}

/** Adds the system's code to an error, because grpc-js has the code only in the error's text. */
function withCode(error: Error): Error {
  const code = /\bE[A-Z]{3,}\b/.exec(error.message)?.[0];
  return code === undefined ? error : Object.assign(new Error(error.message, { cause: error }), { code });
}
