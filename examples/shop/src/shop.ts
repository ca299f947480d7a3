import { setTimeout as sleep } from "node:timers/promises";
import { Chance } from "./chance.ts";
import { type RunningService, startService } from "./service.ts";
import { cart } from "./services/cart.ts";
import { catalog } from "./services/catalog.ts";
import { checkout } from "./services/checkout.ts";
import { payment } from "./services/payment.ts";
import { shipping } from "./services/shipping.ts";
import { storefront } from "./services/storefront.ts";

export const shopServices = [storefront, catalog, cart, checkout, payment, shipping] as const;

export interface Shop {
  /** One visit of one shopper; the status of the answer. */
  visit(): Promise<number>;
  /** Visits at this rate until the signal is aborted. */
  openDoors(visitsPerSecond: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Starts all services on free ports of this machine. @param seed the same seed gives the same visits and faults */
export async function openShop(seed: number): Promise<Shop> {
  const addresses = new Map<string, string>();
  const running: RunningService[] = [];
  for (const [index, definition] of shopServices.entries()) {
    const service = await startService(definition, addresses, seed + index);
    addresses.set(definition.name, service.url);
    running.push(service);
  }
  const chance = new Chance(seed + 1000);
  const paths = () => [
    "/home",
    "/home",
    `/product/${1 + Math.floor(chance.next() * 5)}`,
    `/order/user-${Math.floor(chance.next() * 50)}`,
  ];

  async function visit(): Promise<number> {
    const response = await fetch(new URL(chance.pick(paths()), addresses.get("storefront")));
    await response.arrayBuffer();
    return response.status;
  }

  return {
    visit,
    async openDoors(visitsPerSecond, signal) {
      while (!signal.aborted) {
        void visit().catch(() => undefined);
        await sleep((1000 / visitsPerSecond) * (0.5 + chance.next()), undefined, { signal }).catch(
          () => undefined,
        );
      }
    },
    async close() {
      await Promise.all(running.map((service) => service.close()));
    },
  };
}
