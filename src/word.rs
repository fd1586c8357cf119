//! Closed sets of words: enums whose members each have one word in outputs.

/// Makes an enum from its members and their words, with `ALL`, `as_str`, `parse` and `Display`. Members are ordered as they
/// are written.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $member:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$doc])* $member,)+
        }

        impl $name {
            /// Every member, in order.
            pub const ALL: [Self; [$($word,)+].len()] = [$(Self::$member,)+];

            /// The word in outputs.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$member => $word,)+
                }
            }

            /// The member of a word.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|member| member.as_str() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

pub(crate) use words;

#[cfg(test)]
mod tests {
    use crate::update::Action;

    #[test]
    fn a_word_and_its_member_name_each_other() {
        for member in Action::ALL {
            assert_eq!(Action::parse(member.as_str()), Some(member));
        }
        assert_eq!(Action::parse("Restart"), None);
        assert!(Action::Rejected < Action::DataLoss);
        assert_eq!(
            format!("{:<5}|{}", Action::Live, Action::NextStart),
            "live |next-start"
        );
    }
}
