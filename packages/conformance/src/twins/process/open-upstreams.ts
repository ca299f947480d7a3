import type { SiteMarks } from "../site-marks.ts";
import { openFastCgiUpstream } from "../upstream/fastcgi-upstream.ts";
import { openHttp2Upstream } from "../upstream/http2-upstream.ts";
import type { SeenRequests } from "../upstream/seen-requests.ts";
import { openUpstream } from "../upstream/upstream-server.ts";

/** Opens all upstreams of one server. @returns a function that closes them */
export async function openUpstreams(
  { address, ports }: Pick<SiteMarks, "address" | "ports">,
  seen: SeenRequests,
  certificate: { readonly cert: string; readonly key: string },
): Promise<() => void> {
  const servers = [
    ...(await Promise.all(
      (["UP_A", "UP_B", "UP_C", "AUTH"] as const).map((to) => openUpstream(address, ports[to], to, seen)),
    )),
    await openUpstream(address, ports.UP_S, "UP_S", seen, certificate),
    await openHttp2Upstream(address, ports.UP_2, seen),
    await openFastCgiUpstream(address, ports.FCGI, seen),
  ];
  return () => {
    for (const server of servers) {
      server.close();
    }
    seen.closeAll();
  };
}
