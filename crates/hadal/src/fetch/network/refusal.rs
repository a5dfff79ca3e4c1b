//! Refused addresses and ports: addresses outside the public Internet, and ports of other protocols.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Bad ports of the WHATWG Fetch standard. A request to them could be understood by a mail server, a printer or a chat
/// server.
const BAD_PORTS: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
    104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514,
    515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723,
    2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/// True for ports of other protocols than HTTP.
pub fn is_bad_port(port: u16) -> bool {
    BAD_PORTS.contains(&port)
}

/// True for addresses of the public Internet. An IPv6 address that embeds an IPv4 address counts as that one, so that
/// tunnels do not lead into a private network.
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => match embedded_v4(ip) {
            Some(inner) => is_public_v4(inner),
            None => is_public_v6(ip),
        },
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let carrier_nat = a == 100 && (64..128).contains(&b);
    let protocol_assignments = a == 192 && b == 0 && c == 0;
    let relay = a == 192 && b == 88 && c == 99;
    let benchmarking = a == 198 && (b == 18 || b == 19);
    let this_network = a == 0;
    let multicast_or_reserved = a >= 224;
    !(ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_documentation()
        || carrier_nat
        || protocol_assignments
        || relay
        || benchmarking
        || this_network
        || multicast_or_reserved)
}

/// True for 2000::/3 without the blocks for protocols and documentation.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [a, b, ..] = ip.segments();
    let global = a & 0xe000 == 0x2000;
    let protocol_assignments = a == 0x2001 && b < 0x200;
    let documentation = (a == 0x2001 && b == 0xdb8) || (a == 0x3fff && b < 0x1000);
    global && !protocol_assignments && !documentation
}

/// IPv4 address embedded in a mapped, compatible, NAT64, 6to4 or Teredo address.
fn embedded_v4(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let high_and_low = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match ip.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => Some(high_and_low(high, low)),
        [0, 0, 0, 0, 0xffff, 0, high, low] => Some(high_and_low(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(high_and_low(high, low)),
        [0x2002, high, low, ..] => Some(high_and_low(high, low)),
        [0x2001, 0, _, _, _, _, high, low] => Some(high_and_low(!high, !low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_outside_the_public_internet_are_refused() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
            "3fff::1",
            "2001:2::1",
            "2001:10::1",
            "100::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "::ffff:0:10.0.0.1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:c0a8:101::1",
            "2001:0:4136:e378:8000:63bf:f5ff:fffe",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.0.1",
            "100.128.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "2a00:1450::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn web_ports_pass_and_mail_ports_do_not() {
        for port in [80, 443, 8000, 8080, 8443, 3000] {
            assert!(!is_bad_port(port));
        }
        for port in [0, 21, 22, 25, 110, 587, 6667, 10080] {
            assert!(is_bad_port(port));
        }
    }
}
