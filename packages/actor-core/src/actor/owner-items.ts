import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { tandem } from '@tandem/proto';

/** What a worker writes first when it takes a turn up; `opened` when the turn begins with it. */
export function ownerItems(
  owner: MessageInitShape<typeof tandem.OwnerSchema>,
  opened?: MessageInitShape<typeof tandem.OpenedSchema>,
): tandem.Item[] {
  const items = [
    create(tandem.ItemSchema, { kind: { case: 'owner', value: create(tandem.OwnerSchema, owner) } }),
  ];
  if (!opened) return items;
  const value = create(tandem.OpenedSchema, opened);
  return [create(tandem.ItemSchema, { kind: { case: 'opened', value } }), ...items];
}
