import { HelpDialog, type KeyGroup } from "ui-kit/components/help-dialog.tsx";
import { pageFacts } from "../api/page-facts.ts";

/** The keys in the help. The components handle them, so a key changed in a component must change in this list too. */
const groups: readonly KeyGroup[] = [
  {
    title: "Everywhere",
    keys: [
      [["Ctrl", "K"], "find a page, service, search or action by name; ⌘ K too"],
      [["?"], "show or hide this help"],
      [["g"], "go to a trace by its id"],
      [["/"], "go to the filter or the tags"],
    ],
  },
  {
    title: "In a list of traces, and in a comparison",
    keys: [
      [["j", "k"], "next or previous row"],
      [["Enter", "l"], "open it"],
    ],
  },
  {
    title: "In the heat map and the graph",
    keys: [
      [["← ↑ → ↓"], "move; with Shift, select"],
      [["Enter"], "take the selection"],
      [["Esc"], "clear the selection"],
      [["+", "−", "0"], "zoom the graph, show all"],
    ],
  },
  {
    title: "In a field that completes",
    keys: [
      [["↓", "↑"], "choose what could stand there"],
      [["Enter", "Tab"], "take it"],
    ],
  },
  {
    title: "In the flame graph",
    keys: [
      [["h", "j", "k", "l"], "go to a neighbour; arrows too"],
      [["Enter"], "give the box the whole width"],
      [["Esc"], "one step out again"],
    ],
  },
  {
    title: "In a trace",
    keys: [
      [["j", "↓"], "next span"],
      [["k", "↑"], "previous span"],
      [["l", "→"], "unfold, then go to the first child"],
      [["h", "←"], "fold, then go to the parent"],
      [["Enter"], "open or close the span's details"],
      [["PgDn", "PgUp"], "twenty spans on or back"],
      [["Home", "End"], "first or last span"],
      [["e", "E"], "next or previous error"],
      [["n", "N"], "next or previous match of the filter; Enter in its field too"],
      [["1", "…", "9"], "show so many levels"],
      [["+", "−"], "zoom about the selected span"],
      [["[", "]"], "move along in time"],
      [["0"], "show the whole time range"],
      [["Esc"], "clear the filter, then the selection"],
    ],
  },
];

/** The overlay that lists this app's keys, with the version of the query service if the page knows the version. */
export function AppHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { gitVersion } = pageFacts().version;
  return (
    <HelpDialog
      open={open}
      onClose={onClose}
      groups={groups}
      version={gitVersion === "" ? "" : `Query service ${gitVersion}`}
    />
  );
}
