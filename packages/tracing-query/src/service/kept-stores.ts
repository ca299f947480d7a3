import { KeptFiles, type KeptKind } from "./kept-files.ts";
import { ModelPrices } from "./model-prices.ts";
import { NoteStore } from "./note-store.ts";
import { ViewStore } from "./view-store.ts";

/** The stores of data that users share: views, short links, notes, and prices of models. */
export interface KeptStores {
  readonly views: ViewStore;
  readonly notes: NoteStore;
  readonly prices: ModelPrices;
}

const mostTenants = 1_000;

/**
 * @param folder "" for none: then views, links and notes cannot be saved
 * @param onRefused is called for each view, link or note that a limit refuses
 * @param pricesFile "" for none: then no model has a price
 */
export function openKeptStores(
  folder: string,
  onRefused: (kind: KeptKind) => void = () => {},
  pricesFile = "",
): KeptStores {
  const files = new KeptFiles(folder, mostTenants, onRefused);
  return { views: new ViewStore(files), notes: new NoteStore(files), prices: new ModelPrices(pricesFile) };
}
