import type { IpRanges } from "server-core/net/ip-ranges";
import { ControlledServers } from "./controlled-servers.ts";
import { Controller } from "./controller.ts";
import { Generator, type GeneratorSettings } from "./generator.ts";

export interface FollowSettings extends GeneratorSettings {
  readonly pollingMs: number;
  readonly throttleMs: number;
  /** Network through which controlled servers are reached; undefined means any network. */
  readonly controllerNetwork: IpRanges | undefined;
  /** Loads a document in this process; undefined when this process only controls other servers. @throws Error */
  readonly load: ((json: Uint8Array, text: string) => Promise<void>) | undefined;
  /** Sends a document to a server in another container. @throws Error */
  readonly send: (address: string, json: Uint8Array) => Promise<void>;
}

/** Follows labels until the returned function is called. @returns a function that stops following */
export async function followLabels(settings: FollowSettings): Promise<() => Promise<void>> {
  const { adapt, load, send, controllerNetwork } = settings;
  const generator = new Generator(settings);
  const bare = (address: string) => address.replace(/^\[|\]$/g, "");
  const servers = new ControlledServers({
    addresses: () =>
      generator.controlledServers().filter((one) => controllerNetwork?.contains(bare(one)) ?? true),
    send,
  });
  let loaded: string | undefined;
  const loadText = async (text: string) => {
    if (text !== loaded) {
      await load?.(await adapt(text), text);
      loaded = text;
    }
  };
  const loadOrLeaveOut = async (text: string): Promise<string> => {
    try {
      await loadText(text);
    } catch (error) {
      return await generator.loadRest(error, loadText);
    }
    generator.noteLoaded();
    return text;
  };
  const controller = new Controller({
    ...settings,
    generator,
    async apply(text) {
      const running = load === undefined ? text : await loadOrLeaveOut(text);
      await servers.send(await adapt(running));
      return running;
    },
  });
  await controller.start();
  return () => controller.stop();
}
