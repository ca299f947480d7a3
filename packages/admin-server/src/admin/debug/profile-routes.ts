import { once } from "node:events";
import { getHeapSnapshot } from "node:v8";
import {
  type AdminReply,
  type AdminRequest,
  notFoundReply,
  requireMethod,
} from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import type { Workers } from "server-core/engine/workers";
import { ServerError } from "server-core/errors";
import { Profiler } from "./profiler.ts";

/** Default duration of a profile, in seconds. */
const defaultSeconds = 30;
/** Maximum number of seconds of a profile. A longer one is refused, because sampling slows the thread. */
const maxSeconds = 300;
/** Prefix of all paths. */
const root = "/debug/pprof/";

/** The page that lists the profiles. */
const index = `<!doctype html>
<meta charset="utf-8">
<title>Profiles</title>
<h1>Profiles of the server</h1>
<p>One at a time. Open them in Chrome's DevTools, or in Visual Studio Code.</p>
<ul>
<li><a href="profile?seconds=30">profile</a>: where CPU time goes, for <code>?seconds=</code> (30, at most 300), of the main thread or of the worker <code>?thread=</code> (1 and up), which serves the sites; <code>.cpuprofile</code></li>
<li><a href="allocs?seconds=30">allocs</a>: what is allocated and kept meanwhile, sampled; <code>.heapprofile</code></li>
<li><a href="heap">heap</a>: all that is on the heap; stops the server for a moment; holds secrets; <code>.heapsnapshot</code></li>
<li><a href="cmdline">cmdline</a>: the command line, its parts set apart by NUL</li>
</ul>
`;

/** Headers that make a browser save the profile as a file. */
function download(name: string): Record<string, string> {
  return { "Content-Type": "application/json", "Content-Disposition": `attachment; filename="${name}"` };
}

/** Parses `?seconds=`, above 0 and at most `maxSeconds`. @throws ServerError ADMIN_REQUEST */
function secondsOf(request: AdminRequest): number {
  const text = request.query.get("seconds") ?? String(defaultSeconds);
  const seconds = Number(text);
  if (!/^\d+(?:\.\d+)?$/.test(text) || seconds <= 0 || seconds > maxSeconds) {
    throw new ServerError("ADMIN_REQUEST", `seconds '${text}' is not a number over 0, at most ${maxSeconds}`);
  }
  return seconds;
}

/** Parses `?thread=`; 0 is the main thread. @throws ServerError ADMIN_REQUEST */
function threadOf(request: AdminRequest): number {
  const text = request.query.get("thread") ?? "0";
  if (!/^\d{1,3}$/.test(text)) {
    throw new ServerError("ADMIN_REQUEST", `thread '${text.slice(0, 20)}' is not the number of a thread`);
  }
  return Number(text);
}

/** The client has disconnected, so nobody reads this response. */
const gone: AdminReply = { status: 499 };

/**
 * Takes a profile. @param take creates the profile @throws ServerError ADMIN_REQUEST for a malformed query; the error
 * of `take`
 */
async function timed(
  request: AdminRequest,
  name: string,
  take: (seconds: number, signal: AbortSignal) => Promise<unknown>,
): Promise<AdminReply> {
  const seconds = secondsOf(request);
  try {
    const profile = await take(seconds, request.signal);
    return { status: 200, headers: download(name), body: JSON.stringify(profile) };
  } catch (error) {
    if (request.signal.aborted) {
      return gone;
    }
    throw error;
  }
}

/** Streams the snapshot of the heap. No other profile is taken until the stream ends. */
async function heap(profiler: Profiler): Promise<AdminReply> {
  const started = Promise.withResolvers<AdminReply>();
  profiler
    .exclusively(async () => {
      const body = getHeapSnapshot();
      started.resolve({ status: 200, headers: download("heap.heapsnapshot"), body });
      await once(body, "close");
    })
    .catch(started.reject);
  return started.promise;
}

/**
 * `/debug/pprof/…`: profiles in V8's own formats, under Caddy's paths.
 * Source of the paths: Caddy 2.11
 */
export function profileRoutes(workers?: Workers): AdminRoute[] {
  const profiler = new Profiler(workers);
  return [
    {
      path: root,
      handle(request) {
        requireMethod(request, "GET");
        switch (request.path.slice(root.length)) {
          case "":
            return { status: 200, headers: { "Content-Type": "text/html; charset=utf-8" }, body: index };
          case "cmdline":
            return {
              status: 200,
              headers: { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" },
              body: process.argv.join("\0"),
            };
          case "profile": {
            const thread = threadOf(request);
            return timed(request, "server.cpuprofile", (seconds, signal) =>
              profiler.cpu(thread, seconds, signal),
            );
          }
          case "allocs":
            return timed(request, "server.heapprofile", (seconds, signal) =>
              profiler.allocations(seconds, signal),
            );
          case "heap":
            return heap(profiler);
          default:
            return notFoundReply;
        }
      },
    },
  ];
}
