import { expect, test } from "vitest";
import { hostRouteList, hostRoutes, nginxConfig, serverConfig } from "./server-config.ts";

const ports = { static: 1, files: 2, gzip: 3, hosts: 4, admin: 5 };

test("another mark changes every route, and the same one none", () => {
  const [a, b] = ["a", "b"].map((mark) => hostRouteList(3, mark).map((route) => JSON.stringify(route)));
  expect(a?.some((route) => b?.includes(route))).toBe(false);
  expect(serverConfig(ports, "/f", "a")).toEqual(serverConfig(ports, "/f", "a"));
});

test("nginx gets as many hosts, and one listening socket a port for each worker", () => {
  const config = nginxConfig(ports, "/f", 2);
  expect(config.match(/server_name h/g)).toHaveLength(hostRoutes);
  expect(config.match(/reuseport/g)).toHaveLength(4);
});
