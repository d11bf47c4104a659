/**
 * Move labels apart so that none overlaps, each as little as may be: neighbours that are too close form a group around
 * the middle of where they wanted to be.
 *
 * @param wanted - Where each label would stand.
 * @param gap - The least distance of two labels.
 * @param low - Where the first may stand at the earliest.
 * @param high - Where the last may stand at the latest, if there is room for all.
 */
export function spread(wanted: readonly number[], gap: number, low: number, high: number): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a]! - wanted[b]! || a - b);
  let groups: { middle: number; members: number[] }[] = order.map((index) => ({ middle: wanted[index]!, members: [index] }));
  const half = (group: { members: number[] }) => ((group.members.length - 1) * gap) / 2;
  const kept = (group: { middle: number; members: number[] }) =>
    Math.max(low + half(group), Math.min(high - half(group), group.middle));
  for (let index = 1; index < groups.length; ) {
    const [above, below] = [groups[index - 1]!, groups[index]!];
    if (kept(below) - half(below) - (kept(above) + half(above)) >= gap - 1e-9) {
      index++;
      continue;
    }
    const members = [...above.members, ...below.members];
    const middle = members.reduce((sum, member) => sum + wanted[member]!, 0) / members.length;
    groups = [...groups.slice(0, index - 1), { middle, members }, ...groups.slice(index + 1)];
    index = Math.max(1, index - 1);
  }
  const places = new Array<number>(wanted.length);
  for (const group of groups)
    group.members.forEach((member, number) => (places[member] = kept(group) - half(group) + number * gap));
  return places;
}
