//! Encoding of the parts of a link that have no column of their own.

use hadal_core::address::LinkId;
use hadal_core::link::{FrontierLink, LinkOrigin, LinkTask, ParentPage};
use hadal_core::page::LinkContext;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use url::Url;

/// Content of the column `links.context`. The order of the fields is part of the file format. An `Option<LinkTopic>`
/// follows them, which early files of format 9 and migrated files do not have.
#[derive(Serialize, Deserialize)]
pub struct PackedLink<'a> {
    task: Cow<'a, LinkTask>,
    origin: LinkOrigin,
    context: Cow<'a, LinkContext>,
    parent: Option<ParentPage>,
    site_depth: u16,
    redirects: Cow<'a, [Url]>,
}

impl<'a> PackedLink<'a> {
    /// Packs a link for its column.
    pub fn pack(link: &'a FrontierLink) -> postcard::Result<Vec<u8>> {
        let mut packed = postcard::to_stdvec(&PackedLink {
            task: Cow::Borrowed(&link.task),
            origin: link.origin,
            context: Cow::Borrowed(&link.context),
            parent: link.parent,
            site_depth: link.site_depth,
            redirects: Cow::Borrowed(&link.redirects),
        })?;
        packed.extend(postcard::to_stdvec(&link.context.topic)?);
        Ok(packed)
    }

    /// Reads the column, with the topic in the context of the link.
    fn unpack(column: &[u8]) -> postcard::Result<PackedLink<'static>> {
        let (mut packed, rest) = postcard::take_from_bytes::<PackedLink<'static>>(column)?;
        if !rest.is_empty() {
            packed.context.to_mut().topic = postcard::from_bytes(rest)?;
        }
        Ok(packed)
    }

    /// The link of a row: its columns and the packed rest.
    pub fn link(id: LinkId, url: Url, depth: u16, column: &[u8]) -> postcard::Result<FrontierLink> {
        let rest = PackedLink::unpack(column)?;
        Ok(FrontierLink {
            id,
            url,
            task: rest.task.into_owned(),
            origin: rest.origin,
            context: rest.context.into_owned(),
            parent: rest.parent,
            depth,
            site_depth: rest.site_depth,
            redirects: rest.redirects.into_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::page::LinkTopic;

    #[test]
    fn links_stored_without_a_topic_are_read() {
        let topic = Some(LinkTopic { own: 0.5, around: 0.25, other_sites: 7 });
        let context = LinkContext { anchor: "books".into(), topic, ..LinkContext::default() };
        let link = FrontierLink {
            context,
            ..FrontierLink::root("http://a.org/".parse().unwrap(), LinkOrigin::Seed)
        };
        let column = PackedLink::pack(&link).unwrap();
        assert_eq!(PackedLink::unpack(&column).unwrap().context.topic, topic);
        let topic_bytes = postcard::to_stdvec(&topic).unwrap().len();
        let old = PackedLink::unpack(&column[..column.len() - topic_bytes]).unwrap();
        assert_eq!((old.context.anchor.as_str(), old.context.topic), ("books", None));
    }
}
