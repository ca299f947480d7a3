import type { Server, ServerCredentials } from "@grpc/grpc-js";

/**
 * Lets a gRPC server listen.
 * @param address host "" means every address of the machine; port 0 means one that the system chooses
 * @returns the port
 * @throws Error with the system's code, such as EADDRINUSE, if there is one
 */
export async function bindServer(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  credentials: ServerCredentials,
): Promise<number> {
  if (host !== "") {
    return await bind(server, host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`, credentials);
  }
  // grpc-js requires a host. Interfaces do not tell whether a sandbox lets a process have an IPv6 socket.
  try {
    return await bind(server, `[::]:${port}`, credentials);
  } catch (error) {
    if (!withoutIpv6.has(String((error as NodeJS.ErrnoException).code))) {
      throw error;
    }
    return await bind(server, `0.0.0.0:${port}`, credentials);
  }
}

/** Codes of the system for "::" where it has no IPv6, or keeps it from this process. */
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

/** grpc-js has the system's code in the text of its error only. */
function withCode(error: Error): Error {
  const code = /\bE[A-Z]{3,}\b/.exec(error.message)?.[0];
  return code === undefined ? error : Object.assign(new Error(error.message, { cause: error }), { code });
}
