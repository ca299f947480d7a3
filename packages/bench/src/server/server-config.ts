/** Ports of one system under test: one port for each kind of load, and one for the admin API. */
export interface ServerPorts {
  readonly static: number;
  readonly files: number;
  readonly gzip: number;
  readonly hosts: number;
  readonly admin: number;
}

/** Number of hosts, each with a separate route. */
export const hostRoutes = 1_000;

function server(port: number, routes: unknown[]): unknown {
  return { listen: [`127.0.0.1:${port}`], automatic_https: { disable: true }, routes };
}

/** One route for each host. @param mark is in every answer, so that another mark changes every route */
export function hostRouteList(count: number, mark: string): unknown[] {
  return Array.from({ length: count }, (_, index) => ({
    match: [{ host: [`h${index}.example`] }],
    handle: [{ handler: "static_response", body: `${mark} ${index}` }],
  }));
}

/** The config for our server and Caddy. @param folder folder with the files */
export function serverConfig(ports: ServerPorts, folder: string, mark: string): unknown {
  const files = { handler: "file_server", root: folder };
  return {
    admin: { listen: `127.0.0.1:${ports.admin}`, config: { persist: true } },
    apps: {
      http: {
        servers: {
          static: server(ports.static, [{ handle: [{ handler: "static_response", body: "hello world" }] }]),
          files: server(ports.files, [{ handle: [files] }]),
          gzip: server(ports.gzip, [{ handle: [{ handler: "encode", encodings: { gzip: {} } }, files] }]),
          hosts: server(ports.hosts, hostRouteList(hostRoutes, mark)),
        },
      },
    },
  };
}

/** Writes for nginx the config that serves the same sites. */
export function nginxConfig(ports: ServerPorts, folder: string, workers: number): string {
  const hosts = Array.from({ length: hostRoutes }, (_, index) =>
    `server { listen 127.0.0.1:${ports.hosts} reuseport; server_name h${index}.example; return 200 "x ${index}"; }`.replace(
      " reuseport",
      index === 0 ? " reuseport" : "",
    ),
  );
  // When root starts nginx, it would read files as the user nobody, who may not read them.
  const user = process.getuid?.() === 0 ? "user root; " : "";
  return `${user}worker_processes ${workers}; daemon off; pid ${folder}/nginx.pid; error_log /dev/null;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; server_names_hash_max_size 4096;
  default_type text/plain; client_body_temp_path ${folder}/t; proxy_temp_path ${folder}/t; fastcgi_temp_path ${folder}/t;
  uwsgi_temp_path ${folder}/t; scgi_temp_path ${folder}/t; open_file_cache max=100 inactive=60s;
  server { listen 127.0.0.1:${ports.static} reuseport; return 200 "hello world"; }
  server { listen 127.0.0.1:${ports.files} reuseport; root ${folder}; }
  server { listen 127.0.0.1:${ports.gzip} reuseport; root ${folder}; gzip on; gzip_types text/plain; gzip_comp_level 5; }
  ${hosts.join("\n  ")}
}
`;
}
