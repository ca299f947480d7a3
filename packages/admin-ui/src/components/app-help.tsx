import { HelpDialog, type KeyGroup } from "ui-kit/components/help-dialog.tsx";

/**
 * The keys of the frame, the config tree and the history page. Keep this list in step with their handlers.
 */
const groups: readonly KeyGroup[] = [
  {
    title: "Everywhere",
    keys: [
      [["?"], "show or hide this help"],
      [["1", "…", "9"], "go to a page"],
      [["/"], "go to the filter"],
    ],
  },
  {
    title: "In the config",
    keys: [
      [["j", "↓"], "next line"],
      [["k", "↑"], "previous line"],
      [["l", "→"], "unfold, then go to the first member"],
      [["h", "←"], "fold, then go to what holds it"],
      [["Enter"], "edit what is selected"],
      [["r"], "review the changes"],
    ],
  },
  {
    title: "In the history",
    keys: [[["j", "k"], "next or previous version"]],
  },
];

/** The overlay that lists the console's keys. */
export function AppHelp(props: { open: boolean; onClose: () => void }) {
  return <HelpDialog {...props} groups={groups} version="" />;
}
