import { availableParallelism } from "node:os";
import type { ServerPorts } from "./server-config.ts";

/** Idle connections to the upstream in each worker of nginx. */
const keptConnections = 128;

/** The proxy's internal authority issues the certificate for `localhost`. */
const ownAuthority = {
  tls: { automation: { policies: [{ issuers: [{ module: "internal" }] }] } },
  pki: { certificate_authorities: { local: { install_trust: false } } },
};

/**
 * The config of a proxy for our server and Caddy: HTTP/1 on `ports.static`, TLS on `ports.files`, HTTP/2 without TLS on
 * `ports.gzip`.
 * @param upstream `host:port`
 * @param grpcUpstream `host:port` of the upstream for gRPC
 */
export function proxyConfig(ports: ServerPorts, upstream: string, grpcUpstream: string): unknown {
  const proxy = {
    handler: "reverse_proxy",
    upstreams: [{ dial: upstream }],
    transport: { protocol: "http", keep_alive: { max_idle_conns_per_host: keptConnections } },
  };
  const fixed = { handler: "static_response", body: "hello world" };
  const grpc = {
    handler: "reverse_proxy",
    upstreams: [{ dial: grpcUpstream }],
    transport: { protocol: "http", versions: ["h2c"] },
  };
  return {
    admin: { listen: `127.0.0.1:${ports.admin}`, config: { persist: false } },
    apps: {
      ...ownAuthority,
      http: {
        servers: {
          secure: {
            listen: [`127.0.0.1:${ports.files}`],
            automatic_https: { disable_redirects: true },
            tls_connection_policies: [{}],
            routes: [
              { match: [{ host: ["localhost"], path: ["/static"] }], handle: [fixed] },
              { match: [{ host: ["localhost"] }], handle: [proxy] },
            ],
          },
          h2c: {
            listen: [`127.0.0.1:${ports.gzip}`],
            protocols: ["h1", "h2c"],
            automatic_https: { disable: true },
            routes: [
              { match: [{ path: ["/static"] }], handle: [fixed] },
              { match: [{ path: ["/bench.Echo/*"] }], handle: [grpc] },
              { handle: [proxy] },
            ],
          },
          proxy: {
            listen: [`127.0.0.1:${ports.static}`],
            automatic_https: { disable: true },
            routes: [{ handle: [proxy] }],
          },
        },
      },
    },
  };
}

function nginxFrame(folder: string, workers: number, servers: string): string {
  const user = process.getuid?.() === 0 ? "user root; " : "";
  return `${user}worker_processes ${workers}; daemon off; pid ${folder}/nginx.pid; error_log /dev/null;
events { worker_connections 4096; }
http {
  access_log off; sendfile on; keepalive_requests 1000000000; default_type text/plain;
  client_body_temp_path ${folder}/t; proxy_temp_path ${folder}/t; fastcgi_temp_path ${folder}/t;
  uwsgi_temp_path ${folder}/t; scgi_temp_path ${folder}/t; open_file_cache max=100 inactive=60s;
  ${servers}
}
`;
}

/** Config of nginx as the upstream of all proxies: a small body, and files. */
export function nginxUpstream(port: number, folder: string, files: string): string {
  return nginxFrame(
    folder,
    1,
    `server { listen 127.0.0.1:${port}; root ${files}; location = / { return 200 "hello world"; } }`,
  );
}

export function nginxProxy(ports: ServerPorts, folder: string, upstream: string): string {
  return nginxFrame(
    folder,
    availableParallelism(),
    `upstream u { server ${upstream}; keepalive ${keptConnections}; keepalive_requests 1000000000; }
  server { listen 127.0.0.1:${ports.static} reuseport;
    location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Forwarded-Proto $scheme; } }`,
  );
}
