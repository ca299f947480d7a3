// Matchers for protocols with a fixed beginning, without options.

import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Matcher } from "../routes/handler.ts";

/** Schema of these matchers: only `{}`. */
const noOptions = () => z.strictObject({});

/**
 * True when bytes begin with `start`; undefined while there are too few.
 * A different first byte suffices for false.
 */
function beginWith(bytes: Buffer, start: Buffer): boolean | undefined {
  const length = Math.min(bytes.length, start.length);
  if (bytes.compare(start, 0, length, 0, length) !== 0) {
    return false;
  }
  return length === start.length ? true : undefined;
}

const sshStart = Buffer.from("SSH-");

/**
 * SSH: bytes 0 to 3 are `SSH-`. The matcher waits for more bytes while the received bytes match. Source: RFC 4253,
 * section 4.2
 */
export const sshMatcher = defineModule({
  id: "layer4.matchers.ssh",
  config: noOptions(),
  provision: (): Matcher => ({ matches: ({ bytes }) => beginWith(bytes, sshStart) }),
});

const xmppWord = "jabber";
/** Number of bytes to wait for: some clients send the stream's opening in pieces. Source: caddy-l4, `minXmppLength` */
const xmppBytes = 50;

/**
 * XMPP: bytes 0 to 49 contain `jabber`, in the namespace of the opening. The matcher waits until 50 bytes have arrived,
 * regardless of their content. Source: caddy-l4, `layer4.matchers.xmpp`
 */
export const xmppMatcher = defineModule({
  id: "layer4.matchers.xmpp",
  config: noOptions(),
  provision: (): Matcher => ({
    matches: ({ bytes }) =>
      bytes.length < xmppBytes ? undefined : bytes.toString("latin1", 0, xmppBytes).includes(xmppWord),
  }),
});

const proxyText = Buffer.from("PROXY");
const proxyBinary = Buffer.from("0d0a0d0a000d0a515549540a", "hex");

/**
 * A PROXY protocol header: bytes 0 to 4 are `PROXY` (version 1), or bytes 0 to 11 are the signature of version 2. The
 * header stays; the handler `proxy_protocol` removes it. Source: haproxy doc/proxy-protocol.txt, sections 2.1 and 2.2
 */
export const proxyProtocolMatcher = defineModule({
  id: "layer4.matchers.proxy_protocol",
  config: noOptions(),
  provision: (): Matcher => ({
    matches({ bytes }) {
      const [isText, isBinary] = [beginWith(bytes, proxyText), beginWith(bytes, proxyBinary)];
      return isText || isBinary ? true : isText === undefined || isBinary === undefined ? undefined : false;
    },
  }),
});
