import { getHeapStatistics } from "node:v8";
import { requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";

/**
 * `GET /debug/vars`: command line, memory, CPU time and uptime of the process. Heap statistics are of the main thread.
 * The answer contains the command line, which may hold secrets, as in Caddy. Source of the path: Caddy 2.11
 */
export function varsRoute(): AdminRoute {
  return {
    path: "/debug/vars",
    handle(request) {
      requireMethod(request, "GET");
      const { user, system } = process.cpuUsage();
      const { maxRSS, ...resources } = process.resourceUsage();
      const vars = {
        cmdline: process.argv,
        memstats: { ...process.memoryUsage(), max_rss_bytes: maxRSS * 1_024, ...getHeapStatistics() },
        cpu_seconds: { user: user / 1e6, system: system / 1e6 },
        resources,
        uptime_seconds: process.uptime(),
        pid: process.pid,
        node: process.version,
      };
      return {
        status: 200,
        headers: { "Content-Type": "application/json; charset=utf-8" },
        body: `${JSON.stringify(vars, undefined, 1)}\n`,
      };
    },
  };
}
