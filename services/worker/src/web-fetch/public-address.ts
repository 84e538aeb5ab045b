import { BlockList, isIP } from 'node:net';

/**
 * Networks that are no part of the public internet, or lead out of it: private, loopback, link-local (where clouds keep their
 * metadata), shared, documentation, multicast and reserved ones. From IANA's registries of special-purpose addresses.
 */
const SPECIAL: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Of IPv6 only global unicast is public at all; these parts of it are special, or carry an IPv4 address inside. */
const SPECIAL_V6: readonly string[] = [
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
];

const special = new BlockList();
for (const network of SPECIAL) addTo(special, network, 'ipv4');
for (const network of SPECIAL_V6) addTo(special, network, 'ipv6');
const globalUnicast = new BlockList();
addTo(globalUnicast, '2000::/3', 'ipv6');

/** Whether an IP address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4');
    case 6:
      return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
    default:
      return false;
  }
}

function addTo(list: BlockList, network: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits] = network.split('/');
  list.addSubnet(address, Number(bits), family);
}
